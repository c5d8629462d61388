% Branches, loops over everything, jumps to labels, matches and errors.
import "inttypes.q"
n = int(rand(1)[0]) + 2
if n == 1
    print "one"
elseif n == 2
    print "two"
else
    print "more"
endif
FAST : 'const = 0
if FAST
    print undefined_name + "nothing"
endif
for i = [3,1,2]
    print i
endfor
for s = {"a", [1,2]}
    print s
endfor
for s = {"a", "b"}
    print s
endfor
for i = 5..-2..1
    print i, type(i)
endfor
for x = 0.0..0.5..1
    print x, type(x)
endfor
m = 3
for i = 0..m
    m = 1
    i = i + 10
    print i
endfor
print i
for i = 3..1
    print "never"
endfor
print i
k = 0
while k < 2
    k += 1
endwhile
repeat
    k += 1
until k > 2
print k
outer:
for a = 0..5
    for b = 0..5
        if b == 2
            continue outer
        endif
        if a == 2
            break outer
        endif
        print a, b
    endfor
endfor
w:
while 1
    repeat
        break w
    until 0
endwhile
lab:
repeat
    while 1
        continue lab
    endwhile
until 1
match n + 0.0 with
| 1 -> print "1"
| (2,3) -> print "2 or 3"
| _ -> print "other"
endmatch
match "q" with
| 3 -> print "three"
| "q" -> print "q"
endmatch
match n with
| n -> print "first"
| 2 -> print "second"
endmatch
match 7 with
| 1 -> print "x"
endmatch
match {1,2} with
| "a" -> print "x"
| _ ->
    print "default"
    print "block"
endmatch
try
    error("a", 1, [1,2])
catch ex
    print ex.message
endtry
try
    error "b", 2
catch ex : qexception
    print ex.message
endtry
function [] = __kernel__ bad(x : vec, pos : int)
    if pos == 1
        error("in kernel ", pos)
    endif
endfunction
try
    parallel_do(3, zeros(3), bad)
catch ex
    print ex.message
endtry
