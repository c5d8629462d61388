use quasar::Array;

mod tracker {
    quasar::quasar! {
        type track : mutable class
            places : mat
            count  : int
        endtype

        current = track(places := zeros(100, 2), count := 0)

        function [] = add(place : vec2)
            current.places[current.count, :] = place
            current.count += 1
        endfunction

        function y : mat = places()
            y = current.places[0..current.count-1, :]
        endfunction
    }
}

#[test]
fn an_object_stays_inside() -> quasar::Result<()> {
    tracker::add(&Array::from([1.0f32, 2.0]))?;
    tracker::add(&Array::from([3.0f32, 4.0]))?;
    assert_eq!(tracker::places()?.to_vec(), [1.0, 2.0, 3.0, 4.0]);
    Ok(())
}
