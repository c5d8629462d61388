print min([1,5,3],[4,2,3]), max([1,5,3],2), min(2.5, 1), max([[1,2],[3,4]], 3)
print clamp(-3,5), clamp(9, 2, 6), clamp([0.5,9],1,3), saturate([-1,0.5,2])
