import Glibc

/// Held by the one who writes into a folder, until it is let go of or the program ends.
final class FolderLock: Sendable {
  private let file: OpenFile

  /// - Parameter file: locked.
  init(on file: OpenFile) { self.file = file }

  // Not by closing alone: a program that is just being started has the descriptor until it runs.
  deinit { flock(file.descriptor, LOCK_UN) }
}
