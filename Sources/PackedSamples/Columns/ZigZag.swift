/// ZigZag encoding, which maps small integers of either sign to small unsigned integers: 0, −1, 1, −2 … to 0,
/// 1, 2, 3 …
enum ZigZag {
  static func encode(_ number: Int64) -> UInt64 { UInt64(bitPattern: (number << 1) ^ (number >> 63)) }

  static func decode(_ word: UInt64) -> Int64 { Int64(bitPattern: word >> 1) ^ -Int64(bitPattern: word & 1) }
}
