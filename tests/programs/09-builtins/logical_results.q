print isnan([1.0,nan]), isinf([1.0,-inf]), isfinite([1.0,nan,inf]), any([0,0]), all([1,2]), any([[0,1],[0,0]])
