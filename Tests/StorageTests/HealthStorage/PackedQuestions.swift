import Foundation
import GRDB

@testable import HealthStorage
@testable import TestSupport

/// Generates random queries of every kind, some of them with the permissions of an application.
struct PackedQuestions {
  private var generator: SeededGenerator
  private let uuids: [UUID]
  private let containers: [UUID]
  private let last: Int64

  init(_ history: PackedHistory) async throws {
    generator = history.generator
    uuids = history.uuids
    containers = history.containers
    last = try await history.rows.lastChange()
  }

  typealias Question = (what: String, ask: @Sendable (SampleDatabase) async throws -> String)

  /// Returns a number of random queries, and all queries for which segments have special code.
  mutating func some(_ count: Int) -> [Question] {
    let all = all().shuffled(using: &generator)
    let ofBlocks = all.filter { request in
      ["values", "summaries", "samples by start", "changed spans"].contains { request.what.hasPrefix($0) }
    }
    return all.prefix(count) + ofBlocks
  }

  private mutating func all() -> [Question] {
    let type = type()
    // Use either a filter like those of statistics, or any filter.
    let filter =
      Bool.random(using: &generator)
      ? window(type) : filter(2)
    let order = order()
    let limit = choice([nil, 1, 10])
    let position = choice([0, last - 5, last - 40, Int64.random(in: 0...max(last, 1), using: &generator)])
    let after = max(position, 0)
    let mark = choice([nil, "one", "one:\((uuids.randomElement(using: &generator) ?? UUID()).uuidString)"])
    let place = choice([nil, ChangeLogCursor(position: after, mark: mark ?? "one")])
    let some = Array(uuids.shuffled(using: &generator).prefix(4)) + [UUID()]
    let about = "\(filter) \(order) \(String(describing: limit)) \(after) \(String(describing: mark))"
    return [
      (
        "samples \(about)",
        { store in
          try await store.samples(filter, order: order, limit: limit).map(\.text).joined(separator: "\n")
        }
      ),
      (
        "samples by start \(about)",
        { store in
          try await store.samples(filter, order: [.start(ascending: after % 2 == 0)], limit: limit)
            .map(\.text).joined(separator: "\n")
        }
      ),
      ("uuids \(about)", { "\(try await $0.uuids(filter, order: order, limit: limit))" }),
      (
        "sources \(about)",
        { "\(try await $0.sources(filter).map(\.bundleIdentifier).sorted())" }
      ),
      ("counts \(about)", { "\(try await $0.counts(filter).sorted { $0.key < $1.key })" }),
      (
        "inventory",
        { "\(try await $0.inventory().map { "\($0.source.bundleIdentifier) \($0.type) \($0.count)" })" }
      ),
      ("order of sources", { "\(try await $0.sourceOrder(ofType: type).sources)" }),
      ("last change", { "\(try await $0.lastChange())" }),
      ("stored \(some)", { "\(try await $0.stored(among: some).sorted())" }),
      (
        "changes \(about)",
        { store in
          let changes = try await store.changes(
            [(type, filter), ("c", .everything)], after: after, of: mark, limit: limit)
          return "\(changes.added.map(\.text)) \(changes.deleted) \(changes.position) \(changes.store)"
        }
      ),
      (
        "changed types \(about)",
        { store in
          let changed = try await store.changedTypes([("t", filter), ("u", .everything)], after: after)
          return "\(changed.types.sorted()) \(changed.position)"
        }
      ),
      (
        "changed spans \(about)",
        { store in
          // A segment is reported as one span, and rows as several. So compare only the hours that contain
          // changes.
          let (hours, end) = try await store.foldChangedSpans(
            into: Set<String>(), of: ["t", "u"], after: place, entries: 50
          ) { hours, span in
            for hour in HourSummary.start(of: span.start) / HourSummary.length...HourSummary.start(
              of: min(span.end, packedHour * 2)) / HourSummary.length
            { hours.insert("\(span.type) \(hour)") }
          }
          return "\(hours.sorted()) \(end)"
        }
      ),
      (
        "pages of changes \(about)",
        { store in
          var pages: [String] = []
          var place = place
          for _ in 0..<3 {
            let page = try await store.changePage(
              type, filter, after: place, ChangePageLimit(count: 30, bytes: 1_000_000))
            pages.append(page.text)
            place = page.end
            if page.isLast { break }
          }
          return pages.joined(separator: "\n")
        }
      ),
      (
        "page of some \(some)",
        { try await $0.changePage(Set(some), upTo: ChangeLogCursor(position: after, mark: "one")).text }
      ),
      (
        "number of changes \(about)",
        { store in
          let count = try await store.changeCount(type, filter, after: place)
          return "\(count) \(try await store.hasChange(type, filter, after: place))"
        }
      ),
      (
        "place \(about)",
        { "\(try await $0.holds(place ?? ChangeLogCursor(position: after, mark: "one")))" }
      ),
      (
        "values \(about)",
        { store in
          try await store.foldValues(
            filter, type: type, marking: PackedHistory.mark, prepare: { _ in [String]() }
          ) { $0.append("\($1)") }.joined(separator: "\n")
        }
      ),
      (
        "summaries \(about)",
        { store in
          try await store.foldSummarised(
            filter, type: type, prepare: { _, scope in ["\(scope)"] }, { $0.append("\($1)") },
            hour: {
              $0.append("\($1)")
              return $1.start / HourSummary.length % 2 == 0
            }
          ).joined(separator: "\n")
        }
      ),
      (
        "instants \(about)",
        { store in
          // Sort the texts before the comparison, because samples that are passed in groups are not merged by
          // time with the others.
          try await store.foldSummarised(
            filter, type: type, prepare: { _, _ in [String]() }, { $0.append("\($1)") },
            hour: { _, _ in false },
            instants: { found, instants in
              guard instants.starts.lowerBound % 3 > 0 else { return false }
              found += instants.parts.flatMap(\.described)
              return true
            }
          ).sorted().joined(separator: "\n")
        }
      ),
      ("quantities by start \(about)", { try await $0.pages(filter, .quantity) }),
      ("quantities by sample \(about)", { try await $0.pages(filter, .sample) }),
      (
        "quantities of \(some)",
        { store in
          let found = try await store.quantities(ofEffective: some)
          return "\(found.values.sorted { $0.key < $1.key })"
        }
      ),
      (
        "relations \(about)",
        { store in
          let found = try await store.relations(
            of: .type("w"), with: .type(type), after: after, of: mark)
          return found.relations.map { "\($0.container.text) \($0.members.map(\.text))" }.joined()
            + " \(found.position) \(found.store)"
        }
      ),
      (
        "attachments of \(some)",
        { store in
          var found: [[UUID]] = []
          for uuid in some {
            found.append(try await store.attachments(of: uuid, protection: ProtectedType.type).map(\.uuid))
          }
          return "\(found)"
        }
      ),
      ("empty", { "\(try await $0.isEmpty())" }),
    ]
  }

  // MARK: - Filters

  private mutating func choice<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &generator)]
  }

  private mutating func type() -> String { choice(PackedHistory.types) }

  private mutating func time() -> Int64 {
    // A time in one of the hours, at the start of a sample or between two samples.
    packedHour + Int64.random(in: 0..<PackedHistory.hours, using: &generator) * HourSummary.length + moment()
  }

  private mutating func moment() -> Int64 {
    Int64.random(in: -10...200, using: &generator) * 1_000_000 + choice([0, 0, 1, -1, 500_000])
  }

  private mutating func window(_ type: String) -> SampleFilter {
    let hour = packedHour + Int64.random(in: 0..<PackedHistory.hours, using: &generator) * HourSummary.length
    let (one, other) = (hour + moment(), hour + moment() + choice([0, HourSummary.length]))
    let (from, to) = (min(one, other), max(one, other))
    return .all([
      .type(type), choice([.endsFrom(from), .startsFrom(from)]),
      choice([.startsBefore(to), .endsBefore(to)]),
    ])
  }

  private mutating func order() -> [SampleOrder] {
    let ascending = Bool.random(using: &generator)
    return choice([
      [], [.start(ascending: ascending)], [.end(ascending: ascending)], [.insertion(ascending: ascending)],
      [.start(ascending: ascending), .end(ascending: !ascending)],
    ])
  }

  private mutating func filter(_ depth: Int) -> SampleFilter {
    switch Int.random(in: 0..<(depth > 0 ? 24 : 17), using: &generator) {
    case 0: .everything
    case 1, 2: .type(type())
    case 3: .uuids(Set(uuids.shuffled(using: &generator).prefix(3)))
    case 4: .startsBefore(time())
    case 5: .startsFrom(time())
    case 6: .endsBefore(time())
    case 7: .endsFrom(time())
    case 8: .storedAfter(Int64.random(in: 0...max(last, 1), using: &generator))
    case 9:
      .quantity(
        choice([.less, .greater, .equal]), value: Double(Int.random(in: 40...200, using: &generator)),
        unit: choice(["u", "v"]))
    case 10: .sources([choice(PackedHistory.sources)])
    case 11:
      .revisions([
        RevisionPattern(
          source: choice(PackedHistory.sources), version: .anything, productType: .anything,
          operatingSystem: .anything)
      ])
    case 12: .deviceField(.name, choice([[], ["d"]]))
    case 13: .devices([DeviceRecord()])
    case 14: .metadata(EncodedCondition(Data(count: choice([0, 1]))))
    case 15: .members(of: containers.randomElement(using: &generator) ?? UUID())
    case 16: .held(byTypes: ["w", "k"])
    case 17: .holding(filter(depth - 1))
    case 18: .not(filter(depth - 1))
    case 19: .any([filter(depth - 1), filter(depth - 1)])
    // A filter that programs often use: by type, end and start.
    case 20, 21: .all([.type(type()), .endsFrom(time()), .startsBefore(time())])
    default: .all([.type(type()), filter(depth - 1), filter(depth - 1)])
    }
  }
}

// MARK: - Texts

extension SampleRecord {
  /// The record with everything that it contains, as text.
  fileprivate var text: String {
    let said: String =
      switch content {
      case .quantitySeries(let series):
        "\(series.unit) \(series.value) \(series.count) \(series.latest) \(series.quantities ?? [])"
      case .correlation(let members): members.map(\.text).joined(separator: ", ")
      case .container(_, let quantities): "\(quantities.values.sorted { $0.key < $1.key })"
      default: "\(content)"
      }
    return "\(uuid) \(type) \(start) \(end) \(provenance) \(metadata?.bytes ?? []) \(said)"
  }
}

extension ChangeLogPage<SampleRecord> {
  fileprivate var text: String {
    // Deletions come from a set, so they are sorted for the comparison.
    """
    \(added.map(\.text)) \(deleted.map { "\($0)" }.sorted()) \(damaged) \(changed.sorted()) \(revision) \
    \(end) \(isLast) \(restarts)
    """
  }
}

extension SampleDatabase {
  /// Returns three pages of quantities as text.
  fileprivate func pages(_ filter: SampleFilter, _ order: QuantityOrder) async throws -> String {
    var texts: [String] = []
    var place: QuantityPage.Position?
    for number in 0..<3 {
      let page = try await quantities(filter, order, after: place, size: 20, includingSamples: number == 0)
      texts.append("\(page.quantities) \(page.samples.sorted { $0.key < $1.key }.map { "\($0) \($1.text)" })")
      place = page.end
      if place == nil { break }
    }
    return texts.joined(separator: "\n")
  }
}

extension PackedInstants.Part {
  /// The texts of the samples of a group, as if the samples had been passed one by one.
  fileprivate var described: [String] {
    zip(starts, values).map { start, value in
      "\(SampledValue(start: start, end: start, value: value, unit: unit, provenance: provenance))"
    }
  }
}
