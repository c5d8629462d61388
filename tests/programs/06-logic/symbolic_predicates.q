% The name of a predicate may be declared beside what it speaks of.
symbolic is_a_hero, Jan, Piet
assert(is_a_hero(Jan))
print $check(is_a_hero(Jan))
print $check(is_a_hero(Piet))
print $check(!is_a_hero(Jan))
symbolic older
assert(older(Jan, Piet))
print $check(older(Jan, Piet)), " ", $check(older(Piet, Jan))
unassert(is_a_hero(Jan))
print $check(is_a_hero(Jan))
