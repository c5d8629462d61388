a = "abc"
print a == "abc", a != "abc", a == "ab", "" == ""
