print pi, " ", true, false, " ", inf, " ", -inf, " ", nan
