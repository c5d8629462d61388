//! Removes noise from a photograph with four classic filters, all written in Quasar inside this file.
//!
//! ```sh
//! cargo run --release --example denoise                             # all methods on a noisy copy of a photograph
//! cargo run --release --example denoise -- bilateral                # one method
//! cargo run --release --example denoise -- nlm photo.png clean.png  # a picture of yours, as it is
//! ```
//!
//! Methods are `gaussian`, `median`, `bilateral`, `nlm` and `all`. Results are written to the folder `out`, unless a
//! file is named.

use quasar::{Array, Result, context, quasar};
use std::io::{IsTerminal as _, Write as _, stderr};
use std::process::ExitCode;
use std::time::Instant;

quasar! {
    // Each function below becomes a Rust function of the same name; `cube` is an array of three dimensions (rows,
    // columns, channels), and 'mirror says how an image goes on beyond its border.

    function image : cube = load(file : string)
        image = imread(file, "rgb")
    endfunction

    function [] = store(file : string, image : cube)
        imwrite(file, image, [0, 255])
    endfunction

    function noisy : cube = add_noise(image : cube, sigma : scalar)
        noisy = image + sigma * randn(size(image))
    endfunction

    // A square of each image side by side, to compare them.
    function strip : cube = beside(a : cube, b : cube, c : cube, d : cube, top : int, left : int, side : int)
        strip = uninit(side, 4 * side, 3)
        ys = top..top + side - 1
        xs = left..left + side - 1
        strip[:, 0..side - 1, :] = a[ys, xs, :]
        strip[:, side..2 * side - 1, :] = b[ys, xs, :]
        strip[:, 2 * side..3 * side - 1, :] = c[ys, xs, :]
        strip[:, 3 * side..4 * side - 1, :] = d[ys, xs, :]
    endfunction

    // 10 log10(255^2 / mean squared error), in dB: the higher, the more alike.
    function decibel : scalar = psnr(image : cube, reference : cube)
        difference = image - reference
        decibel = 10 * log10(255^2 / mean(difference .* difference))
    endfunction

    // Smoothing by a bell curve, first along the rows and then along the columns.
    function result : cube = gaussian(image : cube 'mirror, sigma : scalar)
        radius = int(ceil(3 * sigma))
        weights = exp(-(-radius..radius).^2 / (2 * sigma^2))
        weights = weights / sum(weights)
        rows : cube 'mirror = uninit(size(image))
        result = uninit(size(image))
        for y = 0..size(image, 0) - 1
            for x = 0..size(image, 1) - 1
                for c = 0..size(image, 2) - 1
                    total = 0.0
                    for d = -radius..radius
                        total += weights[d + radius] * image[y, x + d, c]
                    endfor
                    rows[y, x, c] = total
                endfor
            endfor
        endfor
        for y = 0..size(image, 0) - 1
            for x = 0..size(image, 1) - 1
                for c = 0..size(image, 2) - 1
                    total = 0.0
                    for d = -radius..radius
                        total += weights[d + radius] * rows[y + d, x, c]
                    endfor
                    result[y, x, c] = total
                endfor
            endfor
        endfor
    endfunction

    // The middle one of three values.
    function m : scalar = __device__ middle(a : scalar, b : scalar, c : scalar)
        m = max(min(a, b), min(max(a, b), c))
    endfunction

    // The median of the 3x3 pixels around each, from the sorted columns: the middle one of the greatest minimum, the
    // middle of the middles, and the least maximum.
    function result : mat = median_of_plane(image : mat 'mirror)
        result = uninit(size(image))
        for y = 0..size(image, 0) - 1
            for x = 0..size(image, 1) - 1
                [j, k, l] = [image[y - 1, x - 1], image[y, x - 1], image[y + 1, x - 1]]
                [d, e, f] = [image[y - 1, x], image[y, x], image[y + 1, x]]
                [g, h, i] = [image[y - 1, x + 1], image[y, x + 1], image[y + 1, x + 1]]
                low = max(min(j, min(k, l)), max(min(d, min(e, f)), min(g, min(h, i))))
                mid = middle(middle(j, k, l), middle(d, e, f), middle(g, h, i))
                high = min(max(j, max(k, l)), min(max(d, max(e, f)), max(g, max(h, i))))
                result[y, x] = middle(low, mid, high)
            endfor
        endfor
    endfunction

    // The same of each channel.
    function result : cube = median(image : cube)
        result = uninit(size(image))
        for c = 0..size(image, 2) - 1
            result[:, :, c] = median_of_plane(image[:, :, c])
        endfor
    endfunction

    // A weighted mean whose weights fall with the distance in the image and with the difference in colour, so that
    // edges stay sharp. Channels are planes of their own, so that neighbours in a row lie side by side.
    function result : cube = bilateral(image : cube(:,:,3), radius : int, near : scalar, alike : scalar)
        red : mat 'mirror = image[:, :, 0]
        green : mat 'mirror = image[:, :, 1]
        blue : mat 'mirror = image[:, :, 2]
        steps = (-radius..radius).^2
        count = numel(steps)
        closeness = exp(-(repmat(transpose(steps), [1, count]) + repmat(steps, [count, 1])) / (2 * near^2))
        scale = -1 / (2 * alike^2)
        reds = uninit(size(red))
        greens = uninit(size(red))
        blues = uninit(size(red))
        for y = 0..size(red, 0) - 1
            for x = 0..size(red, 1) - 1
                r0 = red[y, x]
                g0 = green[y, x]
                b0 = blue[y, x]
                [rs, gs, bs, weights] = [0.0, 0.0, 0.0, 0.0]
                for dy = -radius..radius
                    for dx = -radius..radius
                        r = red[y + dy, x + dx]
                        g = green[y + dy, x + dx]
                        b = blue[y + dy, x + dx]
                        colour = (r - r0)^2 + (g - g0)^2 + (b - b0)^2
                        w = closeness[dy + radius, dx + radius] * exp(scale * colour)
                        rs += w * r
                        gs += w * g
                        bs += w * b
                        weights += w
                    endfor
                endfor
                reds[y, x] = rs / weights
                greens[y, x] = gs / weights
                blues[y, x] = bs / weights
            endfor
        endfor
        result = uninit(size(image))
        result[:, :, 0] = reds
        result[:, :, 1] = greens
        result[:, :, 2] = blues
    endfunction

    // Non-local means of the rows `from` to `to`: averages the pixels whose surroundings look alike, wherever they are
    // in a window of (2*search+1)^2 pixels. `sigma` is the strength of the noise. For each shift of the window, the
    // squared differences of all pixels are summed over patches, first along the rows and then along the columns.
    function [] = nlm_rows(image : cube(:,:,3), result : cube(:,:,3), from : int, to : int, search : int, patch : int, sigma : scalar)
        red : mat 'mirror = image[:, :, 0]
        green : mat 'mirror = image[:, :, 1]
        blue : mat 'mirror = image[:, :, 2]
        [height, width] = [to - from + 1, size(image, 1)]
        samples = 3 * (2 * patch + 1)^2
        squares = uninit(height + 2 * patch, width + 2 * patch)
        sums = uninit(height + 2 * patch, width)
        reds = zeros(height, width)
        greens = zeros(height, width)
        blues = zeros(height, width)
        weights = zeros(height, width)
        for dy = -search..search
            for dx = -search..search
                for y = 0..height + 2 * patch - 1
                    for x = 0..width + 2 * patch - 1
                        [v, u] = [from + y - patch, x - patch]
                        r = red[v, u] - red[v + dy, u + dx]
                        g = green[v, u] - green[v + dy, u + dx]
                        b = blue[v, u] - blue[v + dy, u + dx]
                        squares[y, x] = r^2 + g^2 + b^2
                    endfor
                endfor
                for y = 0..height + 2 * patch - 1
                    for x = 0..width - 1
                        s = 0.0
                        for p = 0..2 * patch
                            s += squares[y, x + p]
                        endfor
                        sums[y, x] = s
                    endfor
                endfor
                for y = 0..height - 1
                    for x = 0..width - 1
                        distance = 0.0
                        for p = 0..2 * patch
                            distance += sums[y + p, x]
                        endfor
                        w = exp(-max(distance / samples - 2 * sigma^2, 0.0) / (0.4 * sigma)^2)
                        reds[y, x] += w * red[from + y + dy, x + dx]
                        greens[y, x] += w * green[from + y + dy, x + dx]
                        blues[y, x] += w * blue[from + y + dy, x + dx]
                        weights[y, x] += w
                    endfor
                endfor
            endfor
        endfor
        result[from..to, :, 0] = reds ./ weights
        result[from..to, :, 1] = greens ./ weights
        result[from..to, :, 2] = blues ./ weights
    endfunction
}

const METHODS: [&str; 4] = ["gaussian", "median", "bilateral", "nlm"];
const PHOTOGRAPH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/images/astronaut.png");
/// The standard deviation of the noise that is added and expected; pixels are 0 to 255.
const SIGMA: f32 = 25.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("denoise: {text}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> std::result::Result<(), String> {
    let method = arguments.first().map_or("all", String::as_str);
    let methods: Vec<&str> = METHODS.into_iter().filter(|m| method == "all" || method == *m).collect();
    if methods.is_empty() || arguments.len() > 3 {
        return Err(format!("usage: denoise [all|{} [INPUT [OUTPUT]]]", METHODS.join("|")));
    }
    if method == "all" && arguments.len() == 3 {
        return Err("an output file can be named for one method, not for all".to_string());
    }
    let say = |error: quasar::Error| error.to_string();
    let input = arguments.get(1).map_or(PHOTOGRAPH, String::as_str);
    let image = load(input).map_err(say)?;
    println!("{input}: {} x {} pixels, {} threads", image.extent(1), image.extent(0), context::threads());

    std::fs::create_dir_all("out").map_err(|error| format!("cannot make the folder 'out': {error}"))?;
    let added = arguments.len() < 2;
    let noisy = if added {
        context::seed(2024);
        let noisy = add_noise(&image, SIGMA).map_err(say)?;
        store("out/noisy.png", &noisy).map_err(say)?;
        println!("{:10} {:>9}   {:5.2} dB   out/noisy.png", "noisy", "", psnr(&noisy, &image).map_err(say)?);
        noisy
    } else {
        image.clone()
    };

    let mut results = vec![noisy.clone()];
    for method in methods {
        let output = arguments.get(2).cloned().unwrap_or_else(|| format!("out/{method}.png"));
        let start = Instant::now();
        let result = denoise(method, &noisy).map_err(say)?;
        let time = start.elapsed().as_secs_f64() * 1e3;
        let quality =
            if added { format!("   {:5.2} dB", psnr(&result, &image).map_err(say)?) } else { String::new() };
        store(&output, &result).map_err(say)?;
        println!("{method:10} {time:6.1} ms{quality}   {output}");
        results.push(result);
    }
    if let ([noisy, gaussian, _, bilateral, nlm], true) = (results.as_slice(), added) {
        let strip = beside(noisy, gaussian, bilateral, nlm, 50, 150, 144).map_err(say)?;
        store("out/comparison.png", &strip).map_err(say)?;
        println!("{:31} out/comparison.png", "noisy, gaussian, bilateral, nlm");
    }
    Ok(())
}

fn denoise(method: &str, image: &Array<f32>) -> Result<Array<f32>> {
    match method {
        "gaussian" => gaussian(image, 1.2),
        "median" => median(image),
        "bilateral" => bilateral(image, 5, 3.0, 2.5 * SIGMA),
        _ => nlm(image),
    }
}

/// Non-local means in bands of rows, to show how far it is.
fn nlm(image: &Array<f32>) -> Result<Array<f32>> {
    const BAND: usize = 64;
    let rows = image.extent(0);
    let result = Array::zeros(image.dims())?;
    for from in (0..rows).step_by(BAND) {
        let to = (from + BAND).min(rows);
        nlm_rows(image, &result, from as i32, to as i32 - 1, 7, 2, SIGMA)?;
        if stderr().is_terminal() {
            eprint!("\rnlm {:3} %{}", 100 * to / rows, if to == rows { "\r         \r" } else { "" });
            let _ = stderr().flush();
        }
    }
    Ok(result)
}
