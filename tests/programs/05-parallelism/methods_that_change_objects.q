% Device functions that change an object: one that the kernel was given, one that it makes, a part of one, an element.
type point : mutable class
    x : scalar
    y : scalar
endtype
type body : mutable class
    place : point
    speed : point
    steps : int
    trail : vec(3)
endtype
function [] = __device__ shift(self : point, dx : scalar, dy : scalar)
    self.x += dx
    self.y = self.y + dy
endfunction
function [] = __device__ step(self : body, dt : scalar)
    self.place.shift(self.speed.x * dt, self.speed.y * dt)
    self.steps += 1
    self.trail[mod(self.steps, 3)] = self.place.x
endfunction
function [] = __kernel__ move(bodies : vec[body], total : body, made : mat, pos : int)
    bodies[pos].step(0.5)
    bodies[pos].speed.shift(1, 1)
    p = point(x:=pos, y:=1)
    p.shift(10, 20)
    made[pos,:] = [p.x, p.y]
    if pos == 0
        total.step(2)
        total.place.shift(100, 200)
    endif
endfunction
bodies = vec[body](3)
for i = 0..2
    bodies[i].speed.x = i
    bodies[i].speed.y = 2*i
endfor
total = body()
total.speed.x = 3
made = zeros(3, 2)
parallel_do(3, bodies, total, made, move)
print made
print bodies[2]
print total
% What a function gives of an object that all threads change is a number that no other thread gets.
type counter : mutable class
    count : int
    items : vec(64)
endtype
function k : int = __device__ push(self : counter, v : scalar)
    k = (self.count += 1) - 1
    self.items[k] = v
endfunction
function [] = __kernel__ fill(c : counter, seen : vec[int], pos : int)
    k = c.push(pos)
    seen[k] += 1
    own = counter(count:=pos, items:=zeros(64))
    first = own.push(7)
    seen[64] ^^= own.push(8)*1000 + first*10 + int(own.items[first])
endfunction
c = counter()
seen = vec[int](65)
parallel_do(50, c, seen, fill)
print c.count, " ", sum(seen[0..49]), " ", max(seen[0..49]), " ", seen[64], " ", sum(c.items)
% Objects of both kinds for one function.
function [] = __device__ exchange(a : point, b : point)
    t = a.x
    a.x = b.x + 1
    b.x = t + 10
    b.y = 7
endfunction
function [] = __kernel__ pairs(ps : vec[point], r : mat, pos : int)
    q = point(x:=1, y:=2)
    s = point(x:=pos, y:=3)
    exchange(q, s)
    r[pos,:] = [q.x, s.y]
    exchange(ps[pos], q)
    r[pos,0] = r[pos,0]*100 + q.x
endfunction
ps = vec[point](2)
ps[1].x = 5
r = zeros(2, 2)
parallel_do(2, ps, r, pairs)
print r
print ps[1]
% In a loop.
function [] = __device__ hit(self : counter, k : int)
    self.count += 1
    self.items[mod(k, 4)] += 1
endfunction
d = counter()
{!parallel for}
for i = 0..99
    d.hit(i)
endfor
print d.count, " ", d.items[0..4]
