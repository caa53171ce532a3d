package import HealthKit
import HealthStorage

/// Imports an export of the iPhone's Health app: its `export.xml`, or the zip that contains it.
///
/// Memory use does not grow with the size of the export. Samples are deduplicated, so an import can be
/// repeated after it was stopped, or with a later export from the same phone.
package struct AppleHealthImport {
  /// Number of samples per transaction.
  private static let batchSize = 5000
  /// Number of elements in the XML between two calls of `progress`.
  private static let progressInterval = 500

  /// The open file or pipe, or the error from opening it. It is opened only once, because a pipe cannot be
  /// opened a second time.
  private let file: Result<ExportFile, ImportError>

  /// Opens the export.
  /// - Parameters:
  ///   - path: The archive, the XML, the directory that the archive unpacks to, or `-` for standard input.
  ///   - isCancelled: Called several times a second while no data is available. If it returns true, the
  ///     import ends.
  package init(path: String, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    file = Result { () throws(ImportError) in try ExportFile(path: path, isCancelled: isCancelled) }
  }

  /// The error if the export could not be opened.
  package var importError: ImportError? {
    if case .failure(let importError) = file { importError } else { nil }
  }

  /// Runs the import. Call it once.
  ///
  /// - Parameters:
  ///   - store: The store to import into; `nil` to only read and count.
  ///   - progress: Called regularly with the result so far.
  ///   - isStopped: Called before each call of `progress`. If it returns true, the import stores the records
  ///     read so far and ends.
  package func run(
    into store: HKHealthStore?, progress: (ImportOutcome) -> Void = { _ in },
    isStopped: () -> Bool = { false }
  ) async -> ImportOutcome {
    var outcome = ImportOutcome()
    do throws(ImportError) {
      let file = try file.get()
      outcome.totalBytes = file.totalBytes
      let storing = await Self.begin(store, &outcome)
      guard outcome.failure == nil else { return outcome }
      var elements = ElementReader(file)
      var reader = RecordReader()
      var batch: [RecordReader.Recorded] = []
      var event: ElementReader.Event?
      var unreported = 0
      repeat {
        do throws(ImportError) {
          event = try elements.next()
          if event == nil { try file.finish() }
        } catch {
          // The records before the error are stored nevertheless.
          outcome.end(with: error)
          event = nil
        }
        reader.set(.character, to: elements.droppedCharacters)
        if let event { batch += reader.samples(of: event) }
        unreported += 1
        let isFull = event == nil || batch.count >= Self.batchSize
        guard isFull || unreported >= Self.progressInterval else { continue }
        unreported = 0
        outcome.records = reader.tally
        outcome.bytesRead = file.bytesRead
        if event != nil, isStopped() { outcome.isStopped = true }
        if isFull || outcome.isStopped {
          await Self.save(batch, to: storing, &outcome)
          batch.removeAll(keepingCapacity: true)
        }
        progress(outcome)
      } while event != nil && outcome.failure == nil && !outcome.isStopped
      if outcome.isComplete { outcome.renamed = storing?.renamed ?? [] }
    } catch {
      outcome.end(with: error)
    }
    return outcome
  }

  private static func begin(_ store: HKHealthStore?, _ outcome: inout ImportOutcome) async -> Storing? {
    guard let store else { return nil }
    do {
      return try await Storing(store)
    } catch {
      outcome.failure = error
      return nil
    }
  }

  private static func save(
    _ batch: [RecordReader.Recorded], to storing: Storing?, _ outcome: inout ImportOutcome
  ) async {
    guard let storing, !batch.isEmpty else { return }
    do {
      let saved = try await storing.store.saveNew(groups(of: batch), matching: storing.matching)
      outcome.stored += saved.stored
      outcome.replacing += saved.replaced
      outcome.outdated += saved.ignored
      outcome.present += batch.count - saved.stored - saved.replaced - saved.ignored
      storing.sources.formUnion(batch.map(\.revision.source.bundleIdentifier))
      storing.alike.merge(saved.alike, uniquingKeysWith: +)
    } catch {
      outcome.failure = error
    }
  }

  /// Groups consecutive records of the same source, because the store saves the samples of one source
  /// together.
  private static func groups(
    of batch: [RecordReader.Recorded]
  ) -> [(revision: HKSourceRevision, samples: [HKSample])] {
    var groups: [(revision: HKSourceRevision, samples: [HKSample])] = []
    for recorded in batch {
      if groups.last?.revision !== recorded.revision { groups.append((recorded.revision, [])) }
      groups[groups.count - 1].samples.append(recorded.sample)
    }
    return groups
  }
}

/// The store to import into, and what is known about earlier imports into it.
private final class Storing {
  let store: HKHealthStore
  let matching: ImportMatching
  /// The bundle identifiers of the sources found in this export so far.
  var sources: Set<String> = []
  var alike: [SourcePair: Int] = [:]
  private let earlierSources: Set<String>

  /// Reads the sources that earlier imports saved to the store.
  /// - Throws: `HKError`.
  init(_ store: HKHealthStore) async throws {
    let (position, sources) = try await store.beginImport()
    self.store = store
    matching = EarlierImport.matching(after: position)
    earlierSources = sources
  }

  /// Sources that have probably been renamed on the phone: their samples are already stored under an earlier
  /// name, which does not occur in this export.
  var renamed: [ImportOutcome.RenamedSource] {
    alike.filter {
      !earlierSources.contains($0.key.new.bundleIdentifier) && !sources.contains($0.key.old.bundleIdentifier)
    }.map { pair, count in
      ImportOutcome.RenamedSource(
        name: pair.new.name, earlierName: pair.old.name, earlierBundleIdentifier: pair.old.bundleIdentifier,
        samples: count)
    }.sorted { ($0.name, $0.earlierName) < ($1.name, $1.earlierName) }
  }
}
