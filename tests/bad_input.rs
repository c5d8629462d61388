//! Input that a program cannot work with comes back as an error that names what and where; nothing panics, and no file
//! is left half-written.

use quasar::{Array, Error};
use std::path::{Path, PathBuf};

mod program {
    quasar::quasar! {
        #![quiet]
        function y : scalar = brightness(name : string)
            img = imread(name)
            y = mean(img)
        endfunction

        function [] = store(name : string, img : cube)
            imwrite(name, img)
        endfunction

        function y : string = text_file(name : string)
            f = fopen(name, "w")
            fprintf(f, "%d %s", 3, "lines")
            fclose(f)
            g = fopen(name)
            y = fgets(g)
            fclose(g)
        endfunction

        function n : ivec = image_size(name : string)
            img = imread(name)
            n = size(img)
        endfunction

        function [] = say(k : int)
            print k
        endfunction

        function y : mat = added(a : mat, b : mat)
            y = a + b
        endfunction

        function y : mat = multiplied(a : mat, b : mat)
            y = a * b
        endfunction

        function y : scalar = element(numbers : vec 'checked, k : int)
            y = numbers[k]
        endfunction

        function [] = put(numbers : vec 'checked, k : int)
            numbers[k] = 1
        endfunction

        function y : scalar = in_kernel(numbers : vec 'checked, n : int)
            y = 0
            for k = 0..n-1
                y += numbers[k]
            endfor
        endfunction

        function y : vec[uint8] = small(x : int)
            y = vec[uint8](2)
            y[0] = x
        endfunction

        function n : int = dimensions(sizes : ivec)
            n = numel(zeros(sizes))
        endfunction

        function n : int = reshaped(x : vec, sizes : ivec)
            y = reshape(x, sizes)
            n = ndims(y)
        endfunction

        function n : int = huge(m : int, n : int)
            n = numel(zeros(m, n))
        endfunction

        function n : int = beyond(m : int)
            n = numel(zeros(m, m, m, m))
        endfunction

        function n : int = tiled(x : mat, m : int)
            n = numel(repmat(x, [m, m]))
        endfunction
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder for tests can be written");
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of plain letters")
}

/// The error says every one of these.
#[track_caller]
fn says(error: &Error, words: &[&str]) {
    let said = error.to_string();
    for word in words {
        assert!(said.contains(word), "'{word}' is missing in: {said}");
    }
}

#[test]
fn images_that_cannot_be_read() {
    let folder = folder("bad_images");
    let (missing, broken, foreign) =
        (folder.join("missing.png"), folder.join("broken.png"), folder.join("foreign.txt"));
    let whole = Array::<f32>::zeros(&[4, 4, 3]).unwrap();
    program::store(text(&broken), &whole).unwrap();
    let bytes = std::fs::read(&broken).unwrap();
    std::fs::write(&broken, &bytes[..bytes.len() / 2]).unwrap();
    std::fs::write(&foreign, "this is no image").unwrap();
    for (path, cause) in [(&missing, "No such file"), (&broken, ""), (&foreign, "unknown format")] {
        let error = program::brightness(text(path)).unwrap_err();
        assert!(matches!(&error, Error::ImageFile { path: named, .. } if named == path), "{error:?}");
        says(&error, &["brightness - ", "imread", text(path), cause, "line "]);
    }
}

#[test]
fn files_are_opened_and_images_keep_their_channels() {
    let folder = folder("open_files");
    assert_eq!(program::text_file(text(&folder.join("x.txt"))).unwrap(), "3 lines");
    let error = program::text_file(text(&folder.join("no/x.txt"))).unwrap_err();
    says(&error, &["text_file - ", "fopen: '", "No such file", "line "]);
    let path = folder.join("x.png");
    for channels in [1, 3, 4] {
        program::store(text(&path), &Array::<f32>::zeros(&[4, 5, channels]).unwrap()).unwrap();
        assert_eq!(program::image_size(text(&path)).unwrap().to_vec(), [4, 5, channels as i32]);
    }
    let pipe = folder.join("pipe.png");
    if cfg!(unix) && std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|made| made.success())
    {
        says(&program::brightness(text(&pipe)).unwrap_err(), &["this is a device or a pipe, not a file"]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_an_error() {
    let full = std::fs::File::create("/dev/full").expect("the device that is always full");
    quasar::context::set_output(Some(Box::new(full)));
    let said = program::say(3);
    quasar::context::set_output(None);
    says(&said.unwrap_err(), &["say - ", "the output cannot be written: No space left", "line "]);
}

#[test]
fn images_that_cannot_be_written_leave_nothing_behind() {
    let folder = folder("bad_writes");
    let image = Array::<f32>::zeros(&[4, 4, 3]).unwrap();
    let (taken, nowhere, foreign) =
        (folder.join("taken.png"), folder.join("nowhere/x.png"), folder.join("x.webm"));
    // Everything is written but the last step fails: the name belongs to a folder that is not empty.
    std::fs::create_dir_all(taken.join("inside")).unwrap();
    for path in [&taken, &nowhere, &foreign] {
        let error = program::store(text(path), &image).unwrap_err();
        assert!(matches!(&error, Error::ImageFile { path: named, .. } if named == path), "{error:?}");
        says(&error, &["store - ", "imwrite", text(path), "line "]);
    }
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["taken.png"]);
    // What is there already survives an image that cannot be encoded.
    let kept = folder.join("kept.pgm");
    std::fs::write(&kept, "old").unwrap();
    program::store(text(&kept), &image).unwrap_err();
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "old");
}

#[test]
fn sizes_that_do_not_match() {
    let (a, b) = (Array::<f32>::zeros(&[2, 3]).unwrap(), Array::<f32>::zeros(&[2, 4]).unwrap());
    let error = program::added(&a, &b).unwrap_err();
    assert!(matches!(error, Error::SizeMismatch { .. }), "{error:?}");
    says(&error, &["added", "2x3", "2x4", "line "]);
    let error = program::multiplied(&a, &b).unwrap_err();
    assert!(matches!(error, Error::SizeMismatch { .. }), "{error:?}");
    says(&error, &["multiplied", "2x3", "2x4", "line "]);
}

#[test]
fn indices_outside_an_array() {
    let numbers = Array::from([1.0f32, 2.0, 3.0]);
    for error in [
        program::element(&numbers, 3).unwrap_err(),
        program::element(&numbers, -1).unwrap_err(),
        program::put(&numbers, 7).unwrap_err(),
        program::in_kernel(&numbers, 4).unwrap_err(),
    ] {
        let Error::OutOfBounds { array, dims, .. } = &error else { panic!("{error:?}") };
        assert_eq!((array.as_ref(), dims.as_slice()), ("numbers", &[3][..]));
        says(&error, &["numbers[", "size 3", "line "]);
    }
    assert_eq!(numbers.to_vec(), [1.0, 2.0, 3.0]);
}

#[test]
fn numbers_that_do_not_fit_their_type() {
    assert_eq!(program::small(255).unwrap().to_vec(), [255, 0]);
    for x in [256, -1] {
        let error = program::small(x).unwrap_err();
        assert!(matches!(error, Error::IntegerOverflow { .. }), "{error:?}");
        says(&error, &["small", &x.to_string(), "uint8", "line "]);
    }
}

#[test]
fn too_many_dimensions() {
    let sizes = Array::from_vec(&[17], vec![1i32; 17]).unwrap();
    let one = Array::from([1.0f32]);
    for error in [program::dimensions(&sizes).unwrap_err(), program::reshaped(&one, &sizes).unwrap_err()] {
        assert!(matches!(error, Error::TooManyDimensions { count: 17, .. }), "{error:?}");
        says(&error, &["16", "17", "line "]);
    }
}

#[test]
fn memory_that_cannot_be_had() {
    let tile = Array::<f32>::zeros(&[1 << 10, 1 << 10]).unwrap();
    let errors = [
        program::huge(i32::MAX, i32::MAX).unwrap_err(),
        program::beyond(i32::MAX).unwrap_err(),
        program::dimensions(&Array::from([i32::MAX, i32::MAX, 4])).unwrap_err(),
        program::tiled(&tile, 1 << 20).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error:?}");
        says(&error, &["out of memory", "line "]);
    }
}
