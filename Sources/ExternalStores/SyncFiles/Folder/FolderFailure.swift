import Glibc
import HealthDataSync

/// An error of a system call, with a message for the user.
struct FolderFailure: Error {
  let code: Int32

  init(_ code: Int32 = errno) {
    self.code = code
  }

  func error(in folder: String) -> ExternalStoreError {
    switch code {
    case ENOSPC, EDQUOT, EFBIG:
      ExternalStoreError(
        "the disk of \(folder) is full: make room there; what did not fit comes again", outlook: .passing)
    case EROFS:
      ExternalStoreError(
        "the disk of \(folder) is for reading only: mount it for writing", outlook: .lasting)
    case EACCES, EPERM:
      ExternalStoreError(
        "\(folder) cannot be written: let the user of hrgate write there, or name another folder",
        outlook: .lasting)
    case ENOENT:
      ExternalStoreError(
        "\(folder) is not there: make the folder above it, or mount its disk", outlook: .lasting)
    case ENOTDIR, ELOOP:
      ExternalStoreError("\(folder) is no folder: name one", outlook: .lasting)
    case EIO:
      ExternalStoreError("the disk of \(folder) has a fault: look at it", outlook: .passing)
    default:
      ExternalStoreError(
        "\(folder) cannot be used (\(String(cString: strerror(code)))): look at it and at its disk",
        outlook: .passing)
    }
  }
}

/// Returns the result of a system call and repeats it if a signal interrupted it.
@discardableResult
func checked<Number: SignedInteger>(_ call: () -> Number) throws(FolderFailure) -> Number {
  while true {
    let result = call()
    if result >= 0 { return result }
    if errno != EINTR { throw FolderFailure() }
  }
}
