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
  private let ledgerLimit: Int
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

  /// - Parameter ledgerLimit: how many entries a ledger may have before it is sorted.
  package init(
    _ address: FilesAddress, identity: ExternalIdentity, ledgerLimit: Int = 1 << 16,
    now: @escaping @Sendable () -> Date
  ) {
    self.address = address
    self.ledgerLimit = ledgerLimit
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
    var index = try CarriedIndex(hidden, ledgerLimit: ledgerLimit)
    let found = index.sequence(of: marker?.id)
    if marker?.isExpected == true, found == nil {
      throw ExternalStoreError.lostData("\(address.folder) has other data than what was sent there")
    }
    var place = index.segment
    if try Segment.recover(place, in: hidden, for: visible, format) || place.samples + place.deletions > 0 {
      place = Ledger.Segment(number: place.number + 1)
      try index.commit(place, [])
    }
    if let marker, found == nil { try index.commit(place, [], Ledger.Mark(id: marker.id, sequence: 0)) }
    let segment = Segment(place.number, on: day(), in: hidden, for: visible, format)
    writing = Writing(visible: visible, hidden: hidden, lock: lock, index: index, segment: segment)
    return marker == nil ? nil : Int64(clamping: found ?? 0)
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
      let mark = page.marker.map { Ledger.Mark(id: $0.id, sequence: UInt64(clamping: $0.sequence ?? 0)) }
      var refusals: [Refusal] = []
      let (deleted, added, isBack) = try news(of: page)
      var segment = ""
      var apart = ""
      for uuid in deleted {
        let line = try format.deletion(of: uuid, type: page.type.identifier)
        if format.hasDeletionsApart { apart += line } else { segment += line }
      }
      var entries = deleted.map { CarriedEntry($0, .deleted) }
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
          entries.append(CarriedEntry(record.sample.uuid, .added))
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

  /// What of a page is to be written, each once, and whether something is there again that was deleted. What
  /// supersedes is written whatever is there: the last line of a UUID counts. A UUID is one sample, so that
  /// what a page both deletes and adds is there.
  private func news(of page: ChangePage) throws -> (deleted: [UUID], added: [ExternalRecord], isBack: Bool) {
    var seen: [UUID: CarriedEntry.State] = [:]
    var isBack = false
    func isNew(_ uuid: UUID, _ state: CarriedEntry.State) throws -> Bool {
      let known = try seen[uuid] ?? writing?.index.state(of: uuid)
      seen[uuid] = state
      isBack = isBack || known == .deleted && state == .added
      return known != state
    }
    let present = Set(page.added.map(\.sample.uuid))
    let deleted = try page.deleted.map(\.uuid).filter { try !present.contains($0) && isNew($0, .deleted) }
    var written: Set<UUID> = []
    let added = try page.added.filter { record in
      let uuid = record.sample.uuid
      let isDue = try isNew(uuid, .added) || record.supersedes
      return isDue && written.insert(uuid).inserted
    }
    return (deleted, added, isBack)
  }

  /// - Parameter mark: of the page, with the last that is written of it.
  private func write(
    _ samples: String, _ deletions: String, _ entries: [CarriedEntry], _ mark: Ledger.Mark? = nil
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
    let next = Ledger.Segment(number: present.segment.place.number + 1)
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
      case is Ledger.Damaged:
        throw ExternalStoreError(
          "what hrgate notes in \(address.folder)/.hrgate-\(address.format.rawValue) is damaged: remove that "
            + "folder, and reset the destination, so that everything is written anew", outlook: .lasting)
      default: throw error
      }
    }
  }
}
