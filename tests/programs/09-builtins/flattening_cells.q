c = {1, {2, {"x", 4}}, 5}
print lincell(c), " ", numel(lincell(c))
