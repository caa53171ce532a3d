import Foundation
import Glibc
public import HealthDataSync
public import HealthKit

/// A folder as an external store: files of lines, which readers see only when they are whole.
public actor FilesStore: ExternalStore {
  private nonisolated let executor = DiskExecutor()
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Bytes of lines to collect before they are written and committed. Bounds the memory that a page takes as
  /// text.
  private static let chunk = 1 << 19

  private let address: FilesAddress
  private nonisolated let format: LineFormat
  private let now: @Sendable () -> Date
  private var writing: Writing?
  /// Shows the files at their age, where no page comes any more.
  private var showing: Task<Void, Never>?
  /// A folder that was there once is not made again: its disk may have gone.
  private var wasThere = false

  /// All that is open.
  struct Writing {
    let visible: Folder
    let hidden: Folder
    /// Keeps everybody else out.
    let lock: FolderLock
    var index: CarriedIndex
    var segment: Segment
  }

  public init(_ address: FilesAddress, identity: ExternalIdentity) {
    self.init(address, identity: identity, now: { Date() })
  }

  package init(_ address: FilesAddress, identity: ExternalIdentity, now: @escaping @Sendable () -> Date) {
    self.address = address
    self.now = now
    format = LineFormat(address.format, person: identity.person)
  }

  deinit { showing?.cancel() }

  public func open() async throws { _ = try await open(expecting: nil) }

  public func open(expecting marker: DestinationMarker?) async throws -> Int64? {
    await close()
    return try told { try openFolders(expecting: marker) }
  }

  private func openFolders(expecting marker: DestinationMarker?) throws -> Int64? {
    let (visible, hidden) = try folders(mayMake: marker?.isExpected != true)
    wasThere = true
    guard let lock = try hidden.lock("lock") else {
      throw ExternalStoreError(
        "another hrgate writes \(address.format.rawValue) into \(address.folder): give each a folder of its own",
        outlook: .passing)
    }
    var index = try CarriedIndex(hidden)
    let found = try index.sequence(of: marker?.id)
    if let expected = marker?.sequence {
      guard let found else {
        throw ExternalStoreError.lostData("\(address.folder) has other data than what was sent there")
      }
      // The caller reports the loss. An index that lost pages would have their lines cut off.
      guard found >= expected else { return found }
    }
    var place = index.segment
    if try Segment.recover(place, in: hidden, for: visible, format) || place.samples + place.deletions > 0 {
      place = SegmentPosition(number: place.number + 1)
      try index.commit(place, [])
    }
    if let marker, found == nil { try index.commit(place, [], CarriedIndex.Mark(id: marker.id, sequence: 0)) }
    let segment = Segment(place.number, on: day(), in: hidden, for: visible, format)
    writing = Writing(visible: visible, hidden: hidden, lock: lock, index: index, segment: segment)
    return marker == nil ? nil : found ?? 0
  }

  /// Opens the folder, and the one for hrgate's own files within.
  /// - Parameter mayMake: false if data was sent there: a folder whose disk is not mounted looks like a new
  ///   one.
  private func folders(mayMake: Bool) throws -> (visible: Folder, hidden: Folder) {
    do {
      let visible = try Folder(address.folder, mayMake: mayMake && !wasThere)
      return (visible, try Folder(".hrgate-\(address.format.rawValue)", in: visible, mayMake: mayMake))
    } catch {
      guard !mayMake, error.code == ENOENT else { throw error }
      throw ExternalStoreError.lostData("what was sent to \(address.folder) is not there")
    }
  }

  public func close() async {
    // What cannot be shown now is shown by the next `open`.
    if writing != nil { try? told { try show() } }
    writing = nil
    showing?.cancel()
    showing = nil
  }

  public func carry(_ page: ChangePage) async throws -> [Refusal] {
    guard writing != nil else {
      throw notOpen
    }
    try Task.checkCancellation()
    return try told {
      let mark = page.marker.map { CarriedIndex.Mark(id: $0.id, sequence: $0.sequence ?? 0) }
      var refusals: [Refusal] = []
      let (deleted, added, isBack) = try news(of: page)
      var segment = ""
      var apart = ""
      for uuid in deleted {
        let line = try format.deletion(of: uuid, type: page.type.identifier)
        if format.hasDeletionsApart { apart += line } else { segment += line }
      }
      var entries = deleted.map { CarriedEntry.deleted($0) }
      // In a file of their own, deletions would not say that they came before.
      if isBack, format.hasDeletionsApart {
        try write("", apart, entries)
        try show()
        apart = ""
        entries = []
      }
      for record in added {
        do {
          if format.isInAnother(record) { continue }
          segment += try format.lines(of: record, at: now())
          entries.append(
            .added(record.sample.uuid, second: CarriedEntry.second(of: record.sample.startDate)))
        } catch let error as DataPoint.Unmapped {
          refusals.append(Refusal(uuid: record.sample.uuid, reason: error.reason, isPermanent: true))
        } catch is EncodingError {
          refusals.append(
            Refusal(uuid: record.sample.uuid, reason: "it holds a number that JSON cannot write"))
        }
        guard segment.utf8.count >= Self.chunk else { continue }
        try write(segment, apart, entries)
        (segment, apart, entries) = ("", "", [])
      }
      try write(segment, apart, entries, mark)
      return refusals
    }
  }

  public nonisolated func reasonToReject(_ type: HKSampleType) -> String? { format.reasonToReject(type) }

  /// Publishes what there is, and forgets what was written: everything is written again.
  public func reset() async throws {
    guard writing != nil else { throw notOpen }
    try told {
      try show()
      try writing?.index.forget()
    }
  }

  private var notOpen: ExternalStoreError {
    ExternalStoreError(
      "\(address.folder) is not open: it is opened with the next attempt", outlook: .passing)
  }

  // MARK: - Writing

  /// Returns the deletions and records of a page that are not in the files yet, each once, and whether one of
  /// the records was deleted before.
  ///
  /// A record that supersedes is written in any case: the last line of a UUID counts. A sample that the page
  /// both deletes and adds exists.
  private func news(of page: ChangePage) throws -> (deleted: [UUID], added: [ExternalRecord], isBack: Bool) {
    guard let index = writing?.index else { throw notOpen }
    return try index.read { known in
      let present = Set(page.added.map(\.sample.uuid))
      var seen: Set<UUID> = []
      let deleted = try page.deleted.map(\.uuid).filter { uuid in
        guard !present.contains(uuid), seen.insert(uuid).inserted else { return false }
        return try !known.isDeleted(uuid)
      }
      var isBack = false
      let added = try page.added.filter { record in
        let sample = record.sample
        guard !seen.contains(sample.uuid) else { return false }
        let state = try known.state(of: sample.uuid, start: sample.startDate)
        isBack = isBack || state == .deleted
        guard state != .added || record.supersedes else { return false }
        return seen.insert(sample.uuid).inserted
      }
      return (deleted, added, isBack)
    }
  }

  /// - Parameter mark: of the page, with the last that is written of it.
  private func write(
    _ samples: String, _ deletions: String, _ entries: [CarriedEntry], _ mark: CarriedIndex.Mark? = nil
  ) throws {
    guard !entries.isEmpty else {
      if let mark, let place = writing?.segment.place { try writing?.index.commit(place, [], mark) }
      return
    }
    if let segment = writing?.segment, !segment.isEmpty, !segment.isOf(day: day()) { try show() }
    let isFirst = writing?.segment.isEmpty ?? true
    if isFirst { try begin() }
    try writing?.segment.append(samples: samples, deletions: deletions)
    if let place = writing?.segment.place { try writing?.index.commit(place, entries, mark) }
    if let segment = writing?.segment, segment.bytes >= address.size {
      try show()
    } else if isFirst, writing?.segment.isEmpty == false {
      showLater()
    }
  }

  /// Names the files by the day on which they begin.
  private func begin() throws {
    guard let present = writing else { return }
    writing?.segment = Segment(
      present.segment.place.number, on: day(), in: present.hidden, for: present.visible, format)
  }

  /// Gives the files to the readers, and begins new ones.
  private func show() throws {
    showing?.cancel()
    showing = nil
    guard let present = writing, !present.segment.isEmpty else { return }
    try present.segment.publish()
    let next = SegmentPosition(number: present.segment.place.number + 1)
    try writing?.index.commit(next, [])
    writing?.segment = Segment(next.number, on: day(), in: present.hidden, for: present.visible, format)
  }

  private func showLater() {
    let age = address.age
    showing = Task { [weak self] in
      do { try await Task.sleep(for: age) } catch { return }
      await self?.showNow()
    }
  }

  /// Where that fails, nothing is open any more, and `open` tells why.
  private func showNow() {
    guard !Task.isCancelled else { return }
    try? told { try show() }
  }

  private func day() -> String { String(SampleTime.text(now()).prefix(10).filter(\.isNumber)) }

  // MARK: - Telling

  /// After a failure nothing is open: `open` finds out what holds.
  private func told<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch {
      writing = nil
      showing?.cancel()
      showing = nil
      switch error {
      case let failure as FolderFailure: throw failure.error(in: address.folder)
      case is DamagedIndexError:
        throw ExternalStoreError(
          "hrgate's index in \(address.folder)/.hrgate-\(address.format.rawValue) is damaged: remove that "
            + "folder, and reset the destination, so that everything is written again", outlook: .lasting)
      default: throw error
      }
    }
  }
}
