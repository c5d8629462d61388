print ind2pos([2,3],4), ind2pos([2,3,4],23), pos2ind([2,3],[1,1]), " ", pos2ind([2,3,4],[1,2,3])
for i = 0..5
    assert(pos2ind([2,3], ind2pos([2,3], i)) == i)
endfor
