package import Foundation
public import HealthDataSync
import HealthKit

/// A folder as an external store: files of lines, which readers see only when they are whole.
public actor FilesStore: ExternalStore {
  private nonisolated let executor = DiskExecutor()
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let address: FilesAddress
  private let format: LineFormat
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

  public func open() async throws {
    await close()
    try told {
      let visible = try Folder(address.folder, mayMake: !wasThere)
      wasThere = true
      let hidden = try Folder(".hrgate-\(address.format.rawValue)", in: visible)
      guard let lock = try hidden.lock("lock") else {
        throw ExternalStoreError(
          "another hrgate writes \(address.format.rawValue) into \(address.folder): give each a folder of its own",
          outlook: .passing)
      }
      var index = try CarriedIndex(hidden, ledgerLimit: ledgerLimit)
      var place = index.segment
      if try Segment.recover(place, in: hidden, for: visible, format) || place.samples + place.deletions > 0 {
        place = Ledger.Segment(number: place.number + 1)
        try index.commit(place, [])
      }
      let segment = Segment(place.number, on: day(), in: hidden, for: visible, format)
      writing = Writing(visible: visible, hidden: hidden, lock: lock, index: index, segment: segment)
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
          segment += try format.lines(of: record, at: now())
          entries.append(CarriedEntry(record.sample.uuid, .added))
        } catch let error as LineFormat.Inexpressible {
          refusals.append(Refusal(uuid: record.sample.uuid, reason: error.reason))
        } catch is EncodingError {
          refusals.append(
            Refusal(uuid: record.sample.uuid, reason: "it holds a number that JSON cannot write"))
        }
      }
      try write(segment, apart, entries)
      return refusals
    }
  }

  /// Shows readers what there is, and forgets that it ever was: everything is written anew.
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

  private func write(_ samples: String, _ deletions: String, _ entries: [CarriedEntry]) throws {
    guard !entries.isEmpty else { return }
    if let segment = writing?.segment, !segment.isEmpty, !segment.isOf(day: day()) { try show() }
    let isFirst = writing?.segment.isEmpty ?? true
    if isFirst { try begin() }
    try writing?.segment.append(samples: samples, deletions: deletions)
    if let place = writing?.segment.place { try writing?.index.commit(place, entries) }
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
