import Foundation

/// Entries in a file, sorted by UUID: what ledgers become. Few of them are in memory.
struct SortedRun {
  /// The ledgers that it stands for, by their numbers.
  let ledgers: ClosedRange<UInt64>
  let count: Int
  private let file: OpenFile
  /// Of each page of entries the first, for the search.
  private let fences: [UUID]

  private static let page = 256

  /// - Throws: `Ledger.Damaged`, where the file is not what was written.
  init(_ file: OpenFile, ledgers: ClosedRange<UInt64>) throws {
    let size = try file.size()
    guard size % CarriedEntry.size == 0 else { throw Ledger.Damaged() }
    self.file = file
    self.ledgers = ledgers
    count = size / CarriedEntry.size
    var fences: [UUID] = []
    for first in stride(from: 0, to: count, by: Self.page) {
      let bytes = try file.read(at: first * CarriedEntry.size, count: CarriedEntry.size)
      guard let entry = CarriedEntry(bytes) else { throw Ledger.Damaged() }
      fences.append(entry.uuid)
    }
    guard zip(fences, fences.dropFirst()).allSatisfy({ $0.precedes($1) }) else { throw Ledger.Damaged() }
    self.fences = fences
  }

  func state(of uuid: UUID) throws -> CarriedEntry.State? {
    // The last page whose first entry is not behind it.
    var low = 0
    var high = fences.count
    while low < high {
      let middle = (low + high) / 2
      if uuid.precedes(fences[middle]) { high = middle } else { low = middle + 1 }
    }
    guard low > 0 else { return nil }
    return try page(low - 1).first { $0.uuid == uuid }?.state
  }

  private func page(_ number: Int) throws -> [CarriedEntry] {
    let first = number * Self.page
    let size = CarriedEntry.size
    let bytes = try file.read(at: first * size, count: min(Self.page, count - first) * size)
    return try stride(from: bytes.startIndex, to: bytes.endIndex, by: size).map { place in
      guard let entry = CarriedEntry(bytes[place..<min(place + size, bytes.endIndex)]) else {
        throw Ledger.Damaged()
      }
      return entry
    }
  }

  /// All of its entries in their order, a page at a time in memory.
  func makeReader() -> Reader { Reader(run: self) }

  struct Reader {
    fileprivate let run: SortedRun
    private var number = 0
    private var entries: ArraySlice<CarriedEntry> = []

    fileprivate init(run: SortedRun) {
      self.run = run
    }

    mutating func next() throws -> CarriedEntry? {
      if entries.isEmpty, number < run.fences.count {
        entries = try run.page(number)[...]
        number += 1
      }
      return entries.popFirst()
    }
  }

  /// Writes sorted entries into a file, and makes them durable.
  static func write(_ file: OpenFile, _ next: () throws -> CarriedEntry?) throws {
    var bytes = Data()
    var place = 0
    while let entry = try next() {
      entry.append(to: &bytes)
      guard bytes.count >= 1 << 16 else { continue }
      try file.write(bytes, at: place)
      place += bytes.count
      bytes.removeAll(keepingCapacity: true)
    }
    try file.write(bytes, at: place)
    try file.sync()
  }
}

extension UUID {
  /// In the order of their bytes.
  func precedes(_ other: UUID) -> Bool {
    withUnsafeBytes(of: uuid) { mine in
      withUnsafeBytes(of: other.uuid) { theirs in mine.lexicographicallyPrecedes(theirs) }
    }
  }
}
