% text processing: word count, caesar, csv parsing, run-length, roman numerals, string building
function y = caesar(s, k)
    codes = fromascii(s)
    for i = 0..numel(codes)-1
        c = codes[i]
        if c >= 97 && c <= 122
            codes[i] = 97 + mod(c - 97 + k, 26)
        endif
    endfor
    y = toascii(codes)
endfunction
function y = rle(s)
    y = ""
    i = 0
    while i < numel(s)
        j = i
        while j < numel(s) && s[j] == s[i]
            j += 1
        endwhile
        y = y + s[i] + (j - i)
        i = j
    endwhile
endfunction
function y = roman(n)
    v = [1000,900,500,400,100,90,50,40,10,9,5,4,1]
    s = {"M","CM","D","CD","C","XC","L","XL","X","IX","V","IV","I"}
    y = ""
    for k = 0..numel(v)-1
        while n >= v[k]
            y = y + s[k]
            n -= v[k]
        endwhile
    endfor
endfunction
function y = join(c, sep)
    y = ""
    for i = 0..numel(c)-1
        y = i > 0 ? y + sep + c[i] : y + c[i]
    endfor
endfunction
function y = count_words(s)
    words = strsplit(s, " ")
    keys = {}
    counts = {}
    for i = 0..numel(words)-1
        found = -1
        for j = 0..numel(keys)-1
            if keys[j] == words[i]
                found = j
            endif
        endfor
        if found < 0
            keys = {...keys, words[i]}
            counts = {...counts, 1}
        else
            counts[found] = counts[found] + 1
        endif
    endfor
    y = {keys, counts}
endfunction
function [] = main()
    print caesar("hello, world", 3), caesar(caesar("abcxyz", 5), -5)
    print rle("aaabccd")
    print roman(1994), " ", roman(2024)
    print join({"a","b","c"}, "-")
    print count_words("to be or not to be")
    rows = strsplit("1,2,3;4,5,6", ";")
    M = zeros(2,3)
    for i = 0..1
        f = strsplit(rows[i], ",")
        for j = 0..2
            M[i,j] = str2num(f[j])
        endfor
    endfor
    print M
    b = ""
    n = 10
    while n > 0
        b = "" + mod(n, 2) + b
        n = int(n / 2)
    endwhile
    print b
    print sprintf("%3d%%", 50), sprintf("%-5s|", "ab"), sprintf("%+d", 5), sprintf("%s", [1,2])
    print strfind("banana", "an"), strreplace("banana", "an", "AN")
endfunction
