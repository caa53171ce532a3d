import HealthDataSync

/// The partitions that are known to exist. Other gateways may create partitions at the same time.
struct Partitions {
  let address: PostgreSQLAddress
  private var known: Set<Month> = []

  init(at address: PostgreSQLAddress) { self.address = address }

  /// Creates the missing partitions, each in its own transaction.
  ///
  /// - Throws: `ExternalStoreError` if a partition is detached; `PostgreSQLError`.
  mutating func provide(_ months: Set<Month>, through connection: Connection) throws {
    for month in months.subtracting(known).sorted() {
      try make(month, through: connection)
      known.insert(month)
    }
  }

  /// Forgets the known partitions, because one was dropped.
  mutating func forget() { known = [] }

  /// Creates a table and attaches it. Creating it as a partition would lock out readers and writers. The
  /// primary key belongs to the partition, because a key of the whole table would have to contain the
  /// partition column.
  private func make(_ month: Month, through connection: Connection) throws {
    let table = "sample_\(month.suffix)"
    if let isPartition = try connection.isPartition(table) {
      guard isPartition else { throw detached(table, month) }
      return
    }
    try connection.perform("BEGIN; SELECT pg_advisory_xact_lock(\(SchemaOpening.lock))")
    do {
      // Another gateway may have created it before this one got the lock.
      if try !connection.hasRelation(table) {
        try connection.perform(
          """
          CREATE TABLE hrgate.\(table) (LIKE hrgate.sample INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE,
            PRIMARY KEY (uuid, person));
          ALTER TABLE hrgate.sample ATTACH PARTITION hrgate.\(table)
            FOR VALUES FROM (\(month.literal)) TO (\(month.next.literal))
          """)
      }
      try connection.perform("COMMIT")
    } catch {
      _ = try? connection.perform("ROLLBACK")
      throw error
    }
  }

  /// Returns the error for a detached partition. Its rows are no longer visible, and a second table for the
  /// month could duplicate them.
  private func detached(_ table: String, _ month: Month) -> ExternalStoreError {
    ExternalStoreError(
      "samples of \(month.suffix.replacing("_", with: "-")) belong into hrgate.\(table), which is detached in PostgreSQL at \(address): "
        + "attach it again (ALTER TABLE hrgate.sample ATTACH PARTITION hrgate.\(table) FOR VALUES FROM "
        + "(\(month.literal)) TO (\(month.next.literal))), or rename it, and a new one is created",
      outlook: .lasting)
  }
}

/// A month in UTC that has its own partition.
///
/// The months from 2000 to 2099 have one partition each, created when a sample needs it. Earlier and later
/// times go into one partition on either side. Such times come from clocks that were never set and can have
/// any value; a partition for each month would overload the server. There is no default partition, because
/// PostgreSQL would have to search it under a lock for each new partition.
struct Month: Hashable, Comparable {
  /// Months since year 0.
  private let number: Int

  private static let first = Month(year: 2000, month: 1)
  private static let last = Month(year: 2099, month: 12)

  private init(year: Int, month: Int) {
    number = year * 12 + month - 1
  }

  private init(number: Int) {
    self.number = number
  }

  /// Creates the month that contains a time, or returns `nil` outside the years 2000 to 2099.
  ///
  /// - Parameter time: Microseconds since 1970.
  init?(of time: Int64) {
    guard Self.first.start <= time, time < Self.last.next.start else { return nil }
    // Converts days since 1970 to a date of the Gregorian calendar. Years begin in March here, so that leap
    // days are at their end.
    let days = Int(time / Self.day) + 719_468
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * dayOfYear + 2) / 153
    let year = yearOfEra + days / 146_097 * 400 + (fromMarch >= 10 ? 1 : 0)
    self.init(year: year, month: fromMarch >= 10 ? fromMarch - 9 : fromMarch + 3)
  }

  /// Returns whether a time is within one day of a border between months.
  static func isNearBorder(_ time: Int64) -> Bool {
    Month(of: time - day) != Month(of: time + day)
  }

  var year: Int { number / 12 }
  /// From 1 to 12.
  var month: Int { number % 12 + 1 }
  var next: Month { Month(number: number + 1) }

  /// Microseconds since 1970.
  var start: Int64 {
    let year = Int64(month <= 2 ? self.year - 1 : self.year)
    let fromMarch = Int64((month + 9) % 12)
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * fromMarch + 2) / 5 - 719_468
    return days * Self.day
  }

  private static let day: Int64 = 86_400_000_000

  static func < (left: Month, right: Month) -> Bool { left.number < right.number }

  /// The suffix of the partition's name, such as 2026_11.
  var suffix: String { "\(year)_\(month < 10 ? "0" : "")\(month)" }

  /// The first moment as an SQL literal.
  var literal: String { "'\(year)-\(month < 10 ? "0" : "")\(month)-01 00:00:00+00'" }
}
