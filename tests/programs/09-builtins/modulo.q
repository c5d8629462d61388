print mod([-3,-1,0,1,3], 2), rem([-3,-1,0,1,3], 2), mod(-7, 3), mod(7, -3), " ", mod(-0.5, 2)
print mod([5,6],[3,4]), periodize(-1..4, 3), mirror_ext(-3..6, 4)
