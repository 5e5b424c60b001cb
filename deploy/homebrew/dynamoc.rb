# A formula for Homebrew; `make release` fills in the version, the addresses and the digests.
class Dynamoc < Formula
  include Language::Python::Virtualenv

  desc "Render, check and compare NVIDIA Dynamo graphs as Kubernetes objects"
  homepage "@REPOSITORY@"
  url "@REPOSITORY@/releases/download/v@VERSION@/dynamoc-@VERSION@.tar.gz"
  sha256 "@SHA256_SDIST@"
  license "Apache-2.0"

  depends_on "libyaml"
  depends_on "python@3.13"

  def install
    virtualenv_create(libexec, "python3.13")
    system libexec/"bin/python", "-m", "pip", "install", "--no-cache-dir", buildpath
    bin.install_symlink %w[dynamoc dynamoc-diff kubectl-dynamoc].map { |name| libexec/"bin"/name }
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/dynamoc --version")
  end
end
