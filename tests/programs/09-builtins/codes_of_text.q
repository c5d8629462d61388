print fromascii("AB"), toascii([72,105])
