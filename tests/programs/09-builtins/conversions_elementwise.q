print int([1.7,-1.7]), float([1,2])/2, type(float([1,2])), " ", cast(2.9, int), " ", cast(1, scalar)/2, " ", tostring(2.5) + "s"
