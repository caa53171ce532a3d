import Glibc
import HealthDataSync

/// An error of a system call, with a message for the user.
struct FolderError: Error {
  let code: Int32

  init(_ code: Int32 = errno) {
    self.code = code
  }

  func error(in folder: String) -> ExternalStoreError {
    switch code {
    case ENOSPC, EDQUOT, EFBIG:
      ExternalStoreError(
        "the disk of \(folder) is full: free space there; hrgate tries again", outlook: .passing)
    case EROFS:
      ExternalStoreError(
        "the disk of \(folder) is read-only: mount it for writing", outlook: .lasting)
    case EACCES, EPERM:
      ExternalStoreError(
        "\(folder) cannot be written to: give the user of hrgate write access, or use another directory",
        outlook: .lasting)
    case ENOENT:
      ExternalStoreError(
        "\(folder) does not exist: create its parent directory, or mount its disk", outlook: .lasting)
    case ENOTDIR, ELOOP:
      ExternalStoreError("\(folder) is not a directory: use a directory", outlook: .lasting)
    case EIO:
      ExternalStoreError("the disk of \(folder) has an I/O error: check it", outlook: .passing)
    default:
      ExternalStoreError(
        "\(folder) cannot be used (\(String(cString: strerror(code)))): check it and its disk",
        outlook: .passing)
    }
  }
}

/// Returns the result of a system call. Repeats the call if a signal interrupted it.
@discardableResult
func checked<Number: SignedInteger>(_ call: () -> Number) throws(FolderError) -> Number {
  while true {
    let result = call()
    if result >= 0 { return result }
    if errno != EINTR { throw FolderError() }
  }
}
