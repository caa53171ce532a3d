import Foundation
import HeartRateVariability

/// A text file of RR intervals, in the forms that heart-rate variability programs use.
///
/// A line has one interval, or the time of the beat that ends it and the interval. A header may name the
/// columns. Other columns and lines that begin with # are ignored. Ambiguous files are rejected.
struct RRFile {
  /// Maximum file size in bytes. A year of beats is smaller.
  static let greatestSize = 1 << 30
  /// Maximum difference in seconds between the time of a beat and its interval; a larger one is a gap.
  /// Programs round times to milliseconds, and beats are never 5 ms apart.
  static let tolerance = 0.005

  private let name: String
  private let text: String

  /// Reads a file.
  ///
  /// - Parameter path: The path; `-` reads standard input.
  /// - Throws: ``CommandError`` if the file cannot be read.
  init(_ path: String) throws {
    name = path == "-" ? "standard input" : path
    let file = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
    guard let file else { throw CommandError("\(name) does not exist or cannot be read") }
    let data: Data
    do {
      data = try file.read(upToCount: Self.greatestSize + 1) ?? Data()
    } catch {
      throw CommandError("\(name) cannot be read: \(error.localizedDescription)")
    }
    guard data.count <= Self.greatestSize else {
      throw CommandError("\(name) is too large for a text of intervals (more than 1 GB)")
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw CommandError("\(name) is not a UTF-8 text file of RR intervals")
    }
    self.text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
  }

  /// Returns the intervals, split at gaps in the times.
  ///
  /// - Parameter start: Time of the first beat in seconds since 1970.
  /// - Throws: ``CommandError`` with the number of the invalid line.
  func segments(firstBeat start: Double) throws -> [RRSegment] {
    let rows = try rows()
    var segments: [RRSegment] = []
    var intervals: [Double] = []
    // Start and end of the current segment and time of the first row, in the file's seconds.
    var (begin, end, origin) = (0.0, 0.0, 0.0)

    func close(_ line: Int) throws {
      guard !intervals.isEmpty else { return }
      // Round to microseconds, the resolution of the store.
      let first = ((start + begin - origin) * 1e6).rounded() / 1e6
      guard let segment = RRSegment(start: first, intervals: intervals) else {
        throw fault(line, "invalid interval or time")
      }
      segments.append(segment)
      intervals.removeAll()
    }

    for row in rows {
      let interval = row.interval
      guard interval >= 0, interval <= RRSegment.longestInterval else {
        throw fault(row.line, "\(row.text) is not a valid interval")
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
    guard !segments.isEmpty else { throw CommandError("\(name) has no intervals") }
    return segments
  }

  // MARK: - Lines

  private struct Row {
    let line: Int
    /// The interval as written in the file.
    let text: String
    /// Time of the beat that ends the interval, in seconds.
    let time: Double?
    /// The interval in milliseconds.
    let interval: Double
  }

  private func rows() throws -> [Row] {
    do {
      return try Self.rows(of: NumberColumns(text))
    } catch let fault as NumberColumns.ParseError {
      throw self.fault(fault.line, fault.what)
    }
  }

  private static func rows(of text: NumberColumns) throws -> [Row] {
    guard let first = text.rows.first else { return [] }
    let named = try text.heading.map { try RRColumns(named: $0.names, line: $0.line) }
    let count = named?.count ?? min(text.fields(of: first).count, 2)
    // Indices of the columns to read, and the numbers of each.
    let read = named.map { [$0.interval, $0.time].compactMap(\.self) } ?? Array(0..<count)
    var numbers = [[Double]](repeating: [], count: read.count)
    for row in text.rows {
      let fields = text.fields(of: row)
      guard fields.count == count else {
        throw NumberColumns.ParseError(line: row.number, what: demand(named, count))
      }
      for (place, column) in read.enumerated() {
        guard let number = text.number(fields[column]) else {
          throw NumberColumns.ParseError(
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
      // Such a short interval in a file of milliseconds means that the comma was a thousands separator.
      guard !written.contains(",") || interval >= RRColumns.leastMilliseconds else {
        throw NumberColumns.ParseError(
          line: text.rows[index].number,
          what: "\(written) is ambiguous: write it without the comma")
      }
      return Row(
        line: text.rows[index].number, text: written, time: times.map { $0[index] * columns.scales.time },
        interval: interval)
    }
  }

  /// Describes the expected fields of a line.
  private static func demand(_ named: RRColumns?, _ count: Int) -> String {
    if named != nil, count > 1 { return "expected \(count) fields, as many as names in the header" }
    return count == 1 ? "expected one interval" : "expected a time and an interval"
  }

  private static func noTime(_ text: String) -> String {
    "\(text) is not a time in seconds or milliseconds; leave that column out"
  }

  private func fault(_ line: Int, _ what: String) -> CommandError {
    CommandError("\(name), line \(line): \(what)")
  }
}
