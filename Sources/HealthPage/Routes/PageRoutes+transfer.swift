import Foundation
import HealthDataSync
import HealthKit
import HealthStorage
import HealthSystem

extension PageRoutes {
  /// Adds routes to import, to export everything, to back up, and to show the status of storage and sync.
  mutating func addTransfer(_ stores: StoreCache, _ queue: ImportQueue, _ limit: RequestLimit) {
    let uploads = RequestLimit(2)
    newUpload = { size throws(PageError) in
      try UploadedFile(in: stores.file.enclosingFolder, size: size, uploads)
    }
    reads["/api/import"] = { _ in try .json(queue.report) }
    changes[Self.uploadPath] = { request in
      guard let upload = request.upload else { throw PageError.argument("The request has no file.") }
      return try .json(queue.begin(upload, into: stores.store(for: request)))
    }
    changes["/api/import/stop"] = { _ in
      queue.stop()
      return try .json(Done())
    }
    reads["/api/export.xml"] = { request in
      let slot = try limit.slot()
      let file = EverythingFile(store: try stores.store(for: request).skippingDamagedBlocks(false))
      var response = PageResponse("application/xml") { body in
        defer { withExtendedLifetime(slot) {} }
        try await file.write(to: body)
      }
      response.fields["Content-Disposition"] = DownloadName.disposition(Date(), "export", extension: "xml")
      return response
    }
    reads["/api/backup"] = { request in
      let slot = try limit.slot()
      let file = try BackupFile(ofStoreAt: stores.path(of: request))
      var response = PageResponse("application/vnd.sqlite3") { body in
        defer { withExtendedLifetime(slot) {} }
        try await file.write(to: body)
      }
      response.fields["Content-Disposition"] = DownloadName.disposition(Date(), "health", extension: "sqlite")
      return response
    }
    reads["/api/backup-keys"] = { request in
      let file = StoreVault.keyFile(of: try stores.path(of: request))
      guard let keys = FileManager.default.contents(atPath: file) else {
        throw PageError.absent("The store is not encrypted, so it has no keys.")
      }
      var response = PageResponse("application/octet-stream", Array(keys))
      response.fields["Content-Disposition"] = DownloadName.disposition(
        Date(), "health", extension: "sqlite-keys")
      return response
    }
    reads["/api/storage"] = { request in
      try .json(try await StorageResponse.of(stores.store(for: request), at: stores.path(of: request)))
    }
  }

  /// The path of the request whose body is a file.
  static let uploadPath = "/api/import"
}

/// The size of a store, and the state of its sync destinations.
struct StorageResponse: Codable, Sendable {
  struct Destination: Codable, Sendable {
    var name: String
    var kind: String
    /// The state of the destination: `current`, `carrying`, `waiting`, `failing` or `blocked`.
    var state: String
    var sent: Int
    /// The number of samples and deletions that have not been sent yet.
    var pending: Int
    /// The number of records that the destination rejected.
    var rejected: Int
    /// The time at which the destination last accepted a change.
    var last: Date?
    var error: String?
  }

  var store: String
  /// The size of the store's file and write-ahead log in bytes.
  var size: Int
  /// The free space on the store's disk in bytes; absent if unknown.
  var free: Int?
  var samples: Int
  /// Whether the store and its backups are encrypted. If so, a backup is useless without a copy of the keys.
  var isEncrypted: Bool
  /// Maximum size of an uploaded file in bytes.
  var maximumUpload: Int
  var destinations: [Destination]

  static func of(_ store: SystemStore, at path: String) async throws -> StorageResponse {
    let sizes = ["", "-wal"].map { suffix in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
      return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
    let status = try await SyncDestinations(store.healthStore).status()
    return StorageResponse(
      store: path, size: sizes.reduce(0, +), free: DiskSpace.free(at: path.enclosingFolder),
      samples: try await store.sampleCounts().reduce(0) { $0 + $1.counts.values.reduce(0, +) },
      isEncrypted: try StoreVault.status(path).isEncrypted,
      maximumUpload: UploadedFile.maximumSize,
      destinations: status.map {
        Destination(
          name: $0.name, kind: $0.kind, state: $0.state.rawValue, sent: $0.sent, pending: $0.pending,
          rejected: $0.setAside, last: $0.lastSuccess, error: $0.lastError)
      })
  }
}
