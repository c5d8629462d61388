//! The library modules that are written in Quasar, as texts, and which of them defines a name.

/// Library modules embedded in the compiler.
const LIBRARY: &[(&str, &str)] = &[
    ("system.q", include_str!("../../lib/system.q")),
    ("colortransform.q", include_str!("../../lib/colortransform.q")),
    ("concurrent_set.q", include_str!("../../lib/concurrent_set.q")),
    ("concurrent_stack.q", include_str!("../../lib/concurrent_stack.q")),
    ("imfilter.q", include_str!("../../lib/imfilter.q")),
    ("contrast.q", include_str!("../../lib/contrast.q")),
    ("dtcwt.q", include_str!("../../lib/dtcwt.q")),
    ("dwt.q", include_str!("../../lib/dwt.q")),
    ("edges.q", include_str!("../../lib/edges.q")),
    ("hashmap.q", include_str!("../../lib/hashmap.q")),
    ("immedfilt.q", include_str!("../../lib/immedfilt.q")),
    ("immorphology.q", include_str!("../../lib/immorphology.q")),
    ("imresize.q", include_str!("../../lib/imresize.q")),
    ("imquality.q", include_str!("../../lib/imquality.q")),
    ("inttypes.q", include_str!("../../lib/inttypes.q")),
    ("linalg.q", "% Linear algebra is part of the compiler.\n"),
    ("linkedlist.q", include_str!("../../lib/linkedlist.q")),
    ("list.q", include_str!("../../lib/list.q")),
    ("queue.q", include_str!("../../lib/queue.q")),
    ("optim.q", include_str!("../../lib/optim.q")),
    ("regions.q", include_str!("../../lib/regions.q")),
    ("sort.q", include_str!("../../lib/sort.q")),
    ("stack.q", include_str!("../../lib/stack.q")),
    ("tomography.q", include_str!("../../lib/tomography.q")),
];

/// The names of all library modules.
pub fn modules() -> impl Iterator<Item = &'static str> {
    LIBRARY.iter().map(|(name, _)| *name)
}

/// The text of a library module.
pub fn library_module(name: &str) -> Option<&'static str> {
    LIBRARY.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The library module that defines a function or type of this name for its importers.
pub fn module_of(name: &str) -> Option<&'static str> {
    let defines = |text: &str| text.lines().any(|line| defined(line) == Some(name));
    LIBRARY.iter().find(|(_, text)| defines(text)).map(|(module, _)| *module)
}

/// The name that a line of a module defines at top level.
fn defined(line: &str) -> Option<&str> {
    let rest = match line.strip_prefix("type ") {
        Some(rest) => rest,
        None => {
            let header = line.strip_prefix("function ")?;
            if header.trim_end().ends_with(" concealed") {
                return None;
            }
            let rest = header.split_once(" = ").map_or(header, |(_, rest)| rest);
            rest.strip_prefix("__device__ ").or(rest.strip_prefix("__kernel__ ")).unwrap_or(rest)
        }
    };
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::module_of;

    #[test]
    fn modules_are_found_by_what_they_define() {
        for (name, module) in [
            ("imfilter", "imfilter.q"),
            ("sinc", "system.q"),
            ("List", "list.q"),
            ("label_components", "regions.q"),
            ("imopen", "immorphology.q"),
        ] {
            assert_eq!(module_of(name), Some(module), "{name}");
        }
        // Concealed functions, variables of functions, and unknown names.
        for name in ["root_of", "squared_distances", "parent", ""] {
            assert_eq!(module_of(name), None, "{name}");
        }
    }
}
