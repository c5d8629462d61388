f = (x, y = 2) -> x
%           ^ Q0313 parameters of lambdas have no default values
g = (x, y = 2) -> x
%           ^ Q0313 parameters of lambdas have no default values
print f(1)
