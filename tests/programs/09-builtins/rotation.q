print rot90([[1,2],[3,4]])
