fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let mut sources = quasar_core::source::SourceMap::default();
    let file = sources.add(path, text.clone());
    let mut sink = quasar_core::message::Sink::default();
    let m = quasar_core::syntax::parse(file, &text, &mut Default::default(), &mut sink);
    for m in sink.messages() {
        println!("{} {}", m.code.0, quasar_core::message::render::line(m, &sources));
    }
    if std::env::args().nth(2).is_some() {
        println!("{m:#?}");
    }
}
