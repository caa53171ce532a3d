/// A set of integers that are mostly close together. It uses one bit per number, in pages that are allocated
/// when needed. The change log positions of a year of heart rates take 4 MB.
struct NumberSet {
  private static let pageBits: Int64 = 32_768

  private var pages: [Int64: [UInt64]] = [:]

  var isEmpty: Bool { pages.isEmpty }

  func contains(_ number: Int64) -> Bool {
    let (page, word, bit) = Self.place(of: number)
    return pages[page].map { $0[word] & bit != 0 } ?? false
  }

  /// - Returns: Whether the number was newly inserted.
  mutating func insert(_ number: Int64) -> Bool {
    let (page, word, bit) = Self.place(of: number)
    return Self.set(
      bit, in: &pages[page, default: Array(repeating: 0, count: Int(Self.pageBits / 64))][word])
  }

  private static func set(_ bit: UInt64, in word: inout UInt64) -> Bool {
    let isNew = word & bit == 0
    word |= bit
    return isNew
  }

  private static func place(of number: Int64) -> (page: Int64, word: Int, bit: UInt64) {
    let within = number & (pageBits - 1)
    return (number >> 15, Int(within >> 6), 1 << UInt64(within & 63))
  }
}
