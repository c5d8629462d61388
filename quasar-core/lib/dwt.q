% dwt.q: discrete wavelet transforms with orthogonal filters, for signals and images that repeat themselves beyond their ends. A wavelet
% is the vector of its scaling filter: db1 (Haar) to db8 after Daubechies, sym8, or another one of even length.

db1 : 'const = [0.707106781186548, 0.707106781186548]
db2 : 'const = [0.482962913144534, 0.836516303737808, 0.224143868042013, -0.12940952255126]
db3 : 'const = [0.332670552950083, 0.806891509311093, 0.459877502118492, -0.135011020010255, -0.0854412738820267, 0.0352262918857095]
db4 : 'const = [0.230377813308897, 0.714846570552916, 0.630880767929859, -0.0279837694168599, -0.187034811719093, 0.0308413818355608, 0.0328830116668852, -0.010597401785069]
db5 : 'const = [0.160102397974193, 0.60382926979719, 0.724308528437773, 0.138428145901321, -0.242294887066382, -0.0322448695846384, 0.0775714938400457, -0.00624149021279827, -0.012580751999082, 0.00333572528547377]
db6 : 'const = [0.111540743350109, 0.494623890398453, 0.751133908021095, 0.315250351709198, -0.22626469396544, -0.129766867567262, 0.097501605587323, 0.0275228655303057, -0.031582039317486, 0.000553842201161496, 0.00477725751094551, -0.00107730108530848]
db7 : 'const = [0.0778520540850092, 0.396539319481917, 0.729132090846235, 0.469782287405193, -0.143906003928565, -0.224036184993875, 0.0713092192668303, 0.0806126091510831, -0.0380299369350144, -0.0165745416306669, 0.0125509985560998, 0.000429577972921367, -0.00180164070404749, 0.00035371379997452]
db8 : 'const = [0.054415842243104, 0.3128715909143, 0.67563073629729, 0.585354683654207, -0.0158291052563493, -0.284015542961547, 0.000472484573913283, 0.128747426620478, -0.0173693010018075, -0.0440882539307948, 0.0139810279173983, 0.00874609404740578, -0.00487035299345157, -0.000391740373376947, 0.000675449406450569, -0.00011747678412477]
sym8 : 'const = [0.00188995033275946, -0.000302920514721367, -0.0149522583370482, 0.00380875201389062, 0.0491371796736075, -0.027219029917056, -0.051945838107709, 0.364441894835331, 0.777185751700524, 0.481359651258372, -0.0612733590676585, -0.14329423835081, 0.00760748732491761, 0.031695087811493, -0.000542132331791148, -0.00338241595100613]

% The filter of the details: the scaling filter backwards with alternating signs.
function g : vec = wavelet_filter(h : vec)
    g = zeros(numel(h))
    for k = 0..numel(h)-1
        g[k] = (mod(k,2) == 0 ? 1.0 : -1.0)*h[numel(h)-1-k]
    endfor
endfunction

function [] = check_wavelet(name : string, x : mat, h : vec, levels : int)
    if numel(h) < 2 || mod(numel(h), 2) != 0
        error(name, ": a filter of ", numel(h), " taps, expected an even number")
    endif
    if levels < 0 || levels > 30
        error(name, ": ", levels, " levels, expected 0 to 30")
    endif
    part = int(2^levels)
    if mod(size(x,0), part) != 0 || mod(size(x,1), part) != 0
        error(name, ": the size ", size(x), " is not divisible by 2^", levels)
    endif
endfunction

% One level along the rows: averages in the left half, details in the right one.
function y : mat = dwt_rows(x : mat, h : vec, g : vec)
    half = int(size(x,1)/2)
    source : 'circular = x
    y = zeros(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..half-1
            average = 0.0
            detail = 0.0
            for k = 0..numel(h)-1
                v = source[m, 2*n+k]
                average += h[k]*v
                detail += g[k]*v
            endfor
            y[m,n] = average
            y[m,half+n] = detail
        endfor
    endfor
endfunction

% What dwt_rows was made from.
function x : mat = idwt_rows(y : mat, h : vec, g : vec)
    half = int(size(y,1)/2)
    taps = int(numel(h)/2)
    averages : 'circular = y[:, 0..half-1]
    details : 'circular = y[:, half..2*half-1]
    x = zeros(size(y,0), size(y,1))
    for m = 0..size(y,0)-1
        for n = 0..half-1
            even = 0.0
            odd = 0.0
            for k = 0..taps-1
                average = averages[m, n-k]
                detail = details[m, n-k]
                even += h[2*k]*average + g[2*k]*detail
                odd += h[2*k+1]*average + g[2*k+1]*detail
            endfor
            x[m,2*n] = even
            x[m,2*n+1] = odd
        endfor
    endfor
endfunction

% The transform of an image over J levels. The averages of the last level are at the top left, the details of each level
% around them: of rows on the right, of columns below.
function y : mat = dwt2(x : mat, h : vec, J : int = 1)
    check_wavelet("dwt2", x, h, J)
    g = wavelet_filter(h)
    y = copy(x)
    rows = size(x,0)
    columns = size(x,1)
    for level = 1..J
        part = dwt_rows(y[0..rows-1, 0..columns-1], h, g)
        y[0..rows-1, 0..columns-1] = transpose(dwt_rows(transpose(part), h, g))
        rows = int(rows/2)
        columns = int(columns/2)
    endfor
endfunction

% The image from its transform.
function x : mat = idwt2(y : mat, h : vec, J : int = 1)
    check_wavelet("idwt2", y, h, J)
    g = wavelet_filter(h)
    x = copy(y)
    for level = 1..J
        scale = int(2^(J-level))
        rows = int(size(y,0)/scale)
        columns = int(size(y,1)/scale)
        part = transpose(idwt_rows(transpose(x[0..rows-1, 0..columns-1]), h, g))
        x[0..rows-1, 0..columns-1] = idwt_rows(part, h, g)
    endfor
endfunction

% The transform over J levels and its inverse as functions of an image.
function [forward, inverse] = build_dwt(h : vec, J : int)
    forward = (x : mat) -> dwt2(x, h, J)
    inverse = (y : mat) -> idwt2(y, h, J)
endfunction
