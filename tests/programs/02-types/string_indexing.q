s = "quasar"
print s[0], " ", s[1..3], " ", numel(s), " ", s[5]
