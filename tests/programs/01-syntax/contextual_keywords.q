where = 1
with = 2
class = 3
enum = 4
dynamic = 5
mutable = 6
print where + with + class + enum + dynamic + mutable
