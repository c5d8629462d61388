print upper("aBc"), lower("XyZ"), " ", strcat("a","b","c"), " ", strfind("quasar","as"), strfind("quasar","z")
print strreplace("a-b-c","-","+"), " ", strsplit("x,y,z", ",")[1], " ", numel(strsplit("x,y,z", ","))
print str2num("2.5") + 1, " ", num2str(3.5) + "!", " ", strlen("abcd")
