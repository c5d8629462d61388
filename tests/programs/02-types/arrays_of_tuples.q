% Cells whose elements are tuples: one type for each place of a tuple.
c = {{1, "a"}, {2, "b"}}
print type(c), " ", c, " ", c[1][1] + "!", " ", c[0][0] + 1
c[0] = {5, "z"}
for t = c
    print t[0] * 2, " ", t[1]
endfor
function total = ages(people : vec[vec[{string, int, vec}]])
    total = 0
    for k = 0..numel(people)-1
        [name, age, place] = people[k]
        print name, " ", age + 1, " ", place[1]
        total += age
    endfor
endfunction
people = {{"Ann", 31, [1.5,2]}, {"Bo", 4, [3,4.5]}}
print ages(people)
both : vec[vec[{string, int, vec}]] = people
print numel(both), " ", both[1][0]
function [] = named()
    made = vec[vec[{int, string}]](2)
    print made[0][0], made[0][1] + "!"
    made[1] = {7, "seven"}
    print made[1][0] + 1, " ", made[1][1]
    made[0] = made[1]
    print numel(made), " ", made
    rows = mat[vec[{int, int}]](2, 2)
    rows[1,0] = {3, 4}
    print rows[1,0][1]
endfunction
named()
