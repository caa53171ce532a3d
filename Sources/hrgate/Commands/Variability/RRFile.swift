import Foundation
import HeartRateVariability

/// RR intervals as a text, in the plain forms that programs for heart-rate variability write and read: an
/// interval a line, or the time of the beat that ends it and the interval. A heading may name the columns, of
/// which others are passed over, as is whatever begins with #. What could be read in two ways is refused.
struct RRFile {
  /// So many octets at most: a year of beats is less.
  static let greatestSize = 1 << 30
  /// How far a beat may be from where the interval puts it, in seconds, before there is a gap: programs round
  /// times to the millisecond, and no heart beats as fast.
  static let tolerance = 0.005

  private let name: String
  private let text: String

  /// - Parameter path: - is standard input.
  /// - Throws: ``Failure``.
  init(_ path: String) throws {
    name = path == "-" ? "standard input" : path
    let file = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
    guard let file else { throw Failure("\(name) is not there, or may not be read") }
    let data: Data
    do {
      data = try file.read(upToCount: Self.greatestSize + 1) ?? Data()
    } catch {
      throw Failure("\(name) cannot be read: \(error.localizedDescription)")
    }
    guard data.count <= Self.greatestSize else {
      throw Failure("\(name) is greater than any text of intervals: more than a gigabyte")
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw Failure("\(name) is no text in UTF-8, and so none of RR intervals")
    }
    self.text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
  }

  /// The intervals, parted where the times have a gap.
  ///
  /// - Parameter start: When the first beat was, in seconds since 1970.
  /// - Throws: ``Failure`` with the line that cannot be read.
  func segments(firstBeat start: Double) throws -> [RRSegment] {
    let rows = try rows()
    var segments: [RRSegment] = []
    var intervals: [Double] = []
    // Of the run of intervals, and of the first row; seconds, as the file counts them.
    var (begin, end, origin) = (0.0, 0.0, 0.0)

    func close(_ line: Int) throws {
      guard !intervals.isEmpty else { return }
      // To the microsecond, as a store's times are.
      let first = ((start + begin - origin) * 1e6).rounded() / 1e6
      guard let segment = RRSegment(start: first, intervals: intervals) else {
        throw fault(line, "there is no such interval, or no such time")
      }
      segments.append(segment)
      intervals.removeAll()
    }

    for row in rows {
      let interval = row.interval
      guard interval >= 0, interval <= RRSegment.longestInterval else {
        throw fault(row.line, "\(row.text) is no interval")
      }
      let time = row.time ?? end + interval / 1000
      if intervals.isEmpty || abs(time - end - interval / 1000) > Self.tolerance {
        try close(row.line)
        begin = time - interval / 1000
        if segments.isEmpty { origin = begin }
      }
      intervals.append(interval)
      end = time
    }
    try close(rows.last?.line ?? 0)
    guard !segments.isEmpty else { throw Failure("\(name) has no intervals") }
    return segments
  }

  // MARK: - Lines

  private struct Row {
    let line: Int
    /// The interval as it stands there.
    let text: String
    /// Of the beat that ends the interval, in seconds.
    let time: Double?
    /// In milliseconds.
    let interval: Double
  }

  private func rows() throws -> [Row] {
    do {
      return try Self.rows(of: NumberColumns(text))
    } catch let fault as NumberColumns.Fault {
      throw self.fault(fault.line, fault.what)
    }
  }

  private static func rows(of text: NumberColumns) throws -> [Row] {
    guard let first = text.rows.first else { return [] }
    let named = try text.heading.map { try RRColumns(named: $0.names, line: $0.line) }
    let count = named?.count ?? min(text.fields(of: first).count, 2)
    // Those that are read, and their numbers, column by column.
    let read = named.map { [$0.interval, $0.time].compactMap(\.self) } ?? Array(0..<count)
    var numbers = [[Double]](repeating: [], count: read.count)
    for row in text.rows {
      let fields = text.fields(of: row)
      guard fields.count == count else {
        throw NumberColumns.Fault(line: row.number, what: demand(named, count))
      }
      for (place, column) in read.enumerated() {
        guard let number = text.number(fields[column]) else {
          throw NumberColumns.Fault(
            line: row.number,
            what: column == named?.time ? noTime(String(fields[column])) : demand(named, count))
        }
        numbers[place].append(number)
      }
    }
    func column(_ index: Int) -> [Double] { read.firstIndex(of: index).map { numbers[$0] } ?? [] }
    var columns = try named ?? RRColumns(of: numbers, line: first.number)
    let (intervals, times) = (column(columns.interval), columns.time.map(column))
    try columns.measure(intervals, times, line: first.number)
    return try text.rows.indices.map { index in
      let written = String(text.fields(of: text.rows[index])[columns.interval])
      let interval = intervals[index] * columns.scales.interval
      // In a text of milliseconds nothing is as short: it was to part the thousands.
      guard !written.contains(",") || interval >= RRColumns.leastMilliseconds else {
        throw NumberColumns.Fault(
          line: text.rows[index].number,
          what: "\(written) may be one or a thousand: write it without the comma")
      }
      return Row(
        line: text.rows[index].number, text: written, time: times.map { $0[index] * columns.scales.time },
        interval: interval)
    }
  }

  /// What there is to be in a line.
  private static func demand(_ named: RRColumns?, _ count: Int) -> String {
    if named != nil, count > 1 { return "there are to be \(count) fields in it, as many as names above" }
    return count == 1 ? "there is to be one interval in it" : "there are to be a time and an interval in it"
  }

  private static func noTime(_ text: String) -> String {
    "\(text) is no time in seconds or milliseconds: leave that column out"
  }

  private func fault(_ line: Int, _ what: String) -> Failure { Failure("\(name), line \(line): \(what)") }
}
