DEBUG = 0
if DEBUG
    undefined_function(1)
endif
LIMIT : 'const = 5
print LIMIT*2
MODE : 'const = "fast"
if MODE == "exact"
    undefined_function(2)
elseif MODE != "slow"
    print MODE
endif
