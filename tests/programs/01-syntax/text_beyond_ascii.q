s = "Grüße"
print s + "!"
print s == "Grüße"
