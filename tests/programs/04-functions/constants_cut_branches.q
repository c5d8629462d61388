DEBUG = 0
if DEBUG
    undefined_function(1)
endif
LIMIT : 'const = 5
print LIMIT*2
