print type(1 + 1), " ", type(1 + 1.0), " ", type(1.0*2j), " ", type(1 + [1,2]), " ", type(0.5 + [1,2]), " ", type(1j*[1,2])
