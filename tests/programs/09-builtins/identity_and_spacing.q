print eye(2,3)
print linspace(0,1,3), seq(1,4), seq(0,9,3), linspace(2,-2,5)
