% Formats read the escapes of tabs, line ends, backslashes and quotes; other strings keep their backslashes.
text = sprintf("a\tb|c\\d|\""e\""|f\ng\rh")
print strreplace(strreplace(text, sprintf("\t"), "<tab>"), sprintf("\r"), "<return>")
print strlen(sprintf("\n")), strlen(sprintf("\t")), strlen(sprintf("\r")), strlen(sprintf("\\")), strlen(sprintf("\"""))
print "a\tb", strlen("\t")
printf("%s\t%d\\", "x", 3)
