% Names of native libraries that are known stand for functions that are built in.
import "Quasar.UI.dll"
import "Quasar.Video.dll"
import "Quasar.Runtime.dll"
print "fine"
