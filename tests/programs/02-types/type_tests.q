print type(3,"int"), type(3,"scalar"), type([1.0,2],"vec"), type([1.0,2],"mat"), type([1,2],"vec")
print type(zeros(2,3),"mat(:,3)"), type(zeros(2,3),"mat(3,3)"), type(zeros(2,3),"vec"), type("a","string")
