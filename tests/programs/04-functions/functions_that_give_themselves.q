% A function that gives back itself, as a value that is known at run time.
chain : ?? = x -> chain
print chain(1)(2)
