% hashmap.q: tables of values by keys, which are numbers or strings. `Hashmap[K,T]()` makes an empty one.

% The keys of one place hang together in a list.
type Hashmap_bucket[K,T] : mutable class
    key : K
    value : ??
    code : int
    next : ^Hashmap_bucket[K,T]
endtype

type Hashmap_bucketlist[K,T] : vec[^Hashmap_bucket[K,T]]

type Hashmap[K,T] : mutable class
    buckets : Hashmap_bucketlist[K,T]
    number : int
endtype

function y : Hashmap[K,T] = Hashmap[K,T]()
    y = Hashmap[K,T](buckets := Hashmap_bucketlist[K,T](8), number := 0)
endfunction

function found : ^Hashmap_bucket[K,T] = find_bucket[K,T](self : Hashmap[K,T], key : K) concealed
    code = hash(key)
    found = self.buckets[mod(code, numel(self.buckets))]
    while found != nullptr
        if found.code == code && found.key == key
            break
        endif
        found = found.next
    endwhile
endfunction

% Twice as many places.
function [] = grow_hashmap[K,T](self : Hashmap[K,T]) concealed
    larger = Hashmap_bucketlist[K,T](2*numel(self.buckets))
    for place = 0..numel(self.buckets)-1
        bucket = self.buckets[place]
        while bucket != nullptr
            next = bucket.next
            to = mod(bucket.code, numel(larger))
            bucket.next = larger[to]
            larger[to] = bucket
            bucket = next
        endwhile
    endfor
    self.buckets = larger
endfunction

% Gives the key this value, whether it had one or not.
function [] = set[K,T](self : Hashmap[K,T], key : K, value : T)
    bucket = find_bucket(self, key)
    if bucket != nullptr
        bucket.value = value
    else
        if self.number == numel(self.buckets)
            grow_hashmap(self)
        endif
        code = hash(key)
        place = mod(code, numel(self.buckets))
        self.buckets[place] = Hashmap_bucket[K,T](key := key, value := value, code := code, next := self.buckets[place])
        self.number += 1
    endif
endfunction

% Adds a key that the table does not have yet.
function [] = add[K,T](self : Hashmap[K,T], key : K, value : T)
    if self.contains(key)
        error("the table has the key ", key, " already")
    endif
    self.set(key, value)
endfunction

function value : T = get[K,T](self : Hashmap[K,T], key : K)
    bucket = find_bucket(self, key)
    if bucket == nullptr
        error("the table has no key ", key)
    endif
    value = bucket.value
endfunction

% The value of the key, or `otherwise` where it has none.
function value : T = get[K,T](self : Hashmap[K,T], key : K, otherwise : T)
    bucket = find_bucket(self, key)
    value = otherwise
    if bucket != nullptr
        value = bucket.value
    endif
endfunction

function y : int = contains[K,T](self : Hashmap[K,T], key : K)
    y = find_bucket(self, key) != nullptr
endfunction

% Removes a key with its value; whether there was one.
function y : int = remove[K,T](self : Hashmap[K,T], key : K)
    bucket = find_bucket(self, key)
    y = bucket != nullptr
    if y
        place = mod(bucket.code, numel(self.buckets))
        before = self.buckets[place]
        if before == bucket
            self.buckets[place] = bucket.next
        else
            while before.next != bucket
                before = before.next
            endwhile
            before.next = bucket.next
        endif
        self.number -= 1
    endif
endfunction

function n : int = count[K,T](self : Hashmap[K,T])
    n = self.number
endfunction

function [] = clear[K,T](self : Hashmap[K,T])
    self.buckets = Hashmap_bucketlist[K,T](8)
    self.number = 0
endfunction

function all : vec[^Hashmap_bucket[K,T]] = all_buckets[K,T](self : Hashmap[K,T]) concealed
    all = Hashmap_bucketlist[K,T](self.number)
    k = 0
    for place = 0..numel(self.buckets)-1
        bucket = self.buckets[place]
        while bucket != nullptr
            all[k] = bucket
            k += 1
            bucket = bucket.next
        endwhile
    endfor
endfunction

% All keys, in no special order.
function y : vec[K] = keys[K,T](self : Hashmap[K,T])
    buckets = all_buckets(self)
    found = cell(self.number)
    for k = 0..self.number-1
        found[k] = buckets[k].key
    endfor
    y = found
endfunction

% All values, in the order of `keys`.
function y : vec[T] = items[K,T](self : Hashmap[K,T])
    buckets = all_buckets(self)
    found = cell(self.number)
    for k = 0..self.number-1
        found[k] = buckets[k].value
    endfor
    y = found
endfunction
