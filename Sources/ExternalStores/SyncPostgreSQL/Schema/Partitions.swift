import HealthDataSync

/// Creates monthly partitions of the table `sample`, and remembers the existing ones. Other gateways may
/// create partitions at the same time.
struct Partitions {
  let address: PostgreSQLAddress
  private var known: Set<Month> = []

  init(at address: PostgreSQLAddress) { self.address = address }

  /// Creates the missing partitions for the given months, each in its own transaction.
  ///
  /// - Throws: `ExternalStoreError` if the table of a month exists but is detached; `PostgreSQLError`.
  mutating func provide(_ months: Set<Month>, through connection: Connection) throws {
    for month in months.subtracting(known).sorted() {
      try make(month, through: connection)
      known.insert(month)
    }
  }

  /// Forgets which partitions exist, because a user dropped one.
  mutating func forget() { known = [] }

  /// Creates a table and then attaches it as a partition, because creating it as a partition directly would
  /// lock out readers and writers. The primary key is defined on the partition, because a primary key of the
  /// whole table would have to contain the partition column.
  private func make(_ month: Month, through connection: Connection) throws {
    let table = "sample_\(month.suffix)"
    if let isPartition = try connection.isPartition(table) {
      guard isPartition else { throw detached(table, month) }
      return
    }
    try connection.perform("BEGIN; SELECT pg_advisory_xact_lock(\(SchemaOpening.lock))")
    do {
      // Another gateway may have created the table while this one waited for the lock.
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

  /// Returns the error for a month whose table is no longer attached as a partition. A second table for the
  /// month could duplicate its rows.
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
/// Each month from 2000 to 2099 has a partition, created when a sample needs it. All earlier times share one
/// partition, and so do all later ones. Such times come from clocks that were never set and can be arbitrary,
/// so a partition for each month would overload the server. There is no default partition, because PostgreSQL
/// would have to lock and search it whenever another partition is created.
struct Month: Hashable, Comparable {
  /// The number of months since year 0.
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
    // Converts days since 1970 to a year and month. Count years from March, so that the leap day is the last
    // day of a year.
    let days = Int(time / Self.day) + 719_468
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * dayOfYear + 2) / 153
    let year = yearOfEra + days / 146_097 * 400 + (fromMarch >= 10 ? 1 : 0)
    self.init(year: year, month: fromMarch >= 10 ? fromMarch - 9 : fromMarch + 3)
  }

  /// Returns whether a time is within one day of the start or end of a month.
  static func isNearBorder(_ time: Int64) -> Bool {
    Month(of: time - day) != Month(of: time + day)
  }

  var year: Int { number / 12 }
  /// The month in its year, from 1 to 12.
  var month: Int { number % 12 + 1 }
  var next: Month { Month(number: number + 1) }

  /// The start of the month in microseconds since 1970.
  var start: Int64 {
    let year = Int64(month <= 2 ? self.year - 1 : self.year)
    let fromMarch = Int64((month + 9) % 12)
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * fromMarch + 2) / 5 - 719_468
    return days * Self.day
  }

  private static let day: Int64 = 86_400_000_000

  static func < (left: Month, right: Month) -> Bool { left.number < right.number }

  /// The suffix of the table's name, such as 2026_11.
  var suffix: String { "\(year)_\(month < 10 ? "0" : "")\(month)" }

  /// The start of the month as an SQL literal.
  var literal: String { "'\(year)-\(month < 10 ? "0" : "")\(month)-01 00:00:00+00'" }
}
