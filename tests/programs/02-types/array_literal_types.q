print type([1,2,3]), " ", type([1,2.5]), " ", type([1,2j])
print type([[1,2],[3,4]]), " ", type([[1.0,2],[3,4],[5,6]])
print type(zeros(3,3)), " ", type(zeros(5)), " ", type(ones(2,3,4))
