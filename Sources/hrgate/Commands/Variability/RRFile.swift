import Foundation
import HeartRateVariability

/// RR intervals as a text, in the plain forms that programs for heart-rate variability write and read: an
/// interval a line, or the time of the beat that ends it and the interval. A heading may name the columns,
/// and whatever begins with # is passed over.
struct RRFile {
  /// So many octets at most: a year of beats is less.
  static let greatestSize = 1 << 30
  /// How far a beat may be from where the interval puts it, in seconds, before there is a gap: programs round
  /// times to the millisecond, and no heart beats as fast.
  private static let tolerance = 0.005
  /// Above, numbers are milliseconds; below, seconds. No heart waits for half a minute, or beats every 30 ms.
  private static let leastMilliseconds = 30.0

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
    let scale = Self.isInSeconds(rows.map(\.interval)) ? 1000.0 : 1
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
      let interval = row.interval * scale
      guard interval >= 0, interval <= RRSegment.longestInterval else {
        throw fault(row.line, "\(row.interval) is no interval")
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

  private static func isInSeconds(_ intervals: [Double]) -> Bool {
    let sorted = intervals.sorted()
    return sorted.isEmpty ? false : sorted[sorted.count / 2] < leastMilliseconds
  }

  // MARK: - Lines

  private struct Row {
    let line: Int
    /// Of the beat that ends the interval, in seconds.
    let time: Double?
    let interval: Double
  }

  /// Which columns a line has.
  private enum Form {
    case interval
    case timeAndInterval
    case intervalAndTime

    var count: Int { self == .interval ? 1 : 2 }
  }

  private func rows() throws -> [Row] {
    var rows: [Row] = []
    var form: Form?
    var (number, hasHeading) = (0, false)
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      let fields = line.split { " \t,;".contains($0) }
      guard let first = fields.first, !first.hasPrefix("#") else { continue }
      let values = fields.compactMap { Double($0) }.filter(\.isFinite)
      if values.count < fields.count, rows.isEmpty, !hasHeading {
        hasHeading = true
        form = Self.form(ofHeading: fields.map { $0.lowercased() })
        continue
      }
      if !hasHeading, line.contains(",") {
        throw fault(
          number, "a comma parts columns below a heading alone, as RRI,RRI_Time; decimals are after a point")
      }
      let known = form ?? (fields.count == 1 ? .interval : .timeAndInterval)
      form = known
      guard values.count == fields.count, fields.count == known.count else {
        throw fault(
          number,
          known == .interval
            ? "there is to be one interval in it" : "there are to be a time and an interval in it")
      }
      switch known {
      case .interval: rows.append(Row(line: number, time: nil, interval: values[0]))
      case .timeAndInterval: rows.append(Row(line: number, time: values[0], interval: values[1]))
      case .intervalAndTime: rows.append(Row(line: number, time: values[1], interval: values[0]))
      }
    }
    return rows
  }

  /// By the names that programs give the columns; nil where the lines have to tell.
  private static func form(ofHeading names: [String]) -> Form? {
    guard names.count == 2 else { return nil }
    return names[1].contains("time") && !names[0].contains("time") ? .intervalAndTime : nil
  }

  private func fault(_ line: Int, _ what: String) -> Failure { Failure("\(name), line \(line): \(what)") }
}
